// The low-level graph: variables with a place on tiles, compute sets of vertices, streams and functions. Names and meaning
// follow Poplar's public API. Library ops add vertices as runs (equal vertices on a range of tiles), user code one by one.
#pragma once

#include "reports/core/categories.h"
#include "simcore/arch/machine.h"
#include "simcore/graph/codelet.h"
#include "simcore/graph/distribution.h"
#include "simcore/graph/program.h"

#include <map>
#include <optional>
#include <string>

namespace simcore::graph {

using reports::Bytes;
using reports::Cycles;
using reports::MemoryCategory;
using reports::TileId;

struct Interval {
  int64_t begin = 0, end = 0;
  bool operator==(const Interval&) const = default;
};

// Where the elements of a variable are: run i holds [begin_i, begin of the next run) and lies on its tile.
struct MappingRun {
  int64_t begin = 0;
  TileId tile; // not valid: unmapped
};

struct Variable {
  std::string name;
  ElementType type = ElementType::Float;
  Shape shape;
  DebugContextId context;
  MemoryCategory category = MemoryCategory::Variable;
  std::vector<MappingRun> mapping; // element order: row-major, or box by box where `distribution` is set
  Distribution distribution;       // set by library ops
  PerTile extraBytes;              // storage a planner sized itself (replicated or padded buffers); replaces the mapping
  std::optional<numerics::HostTensor> initial;
  bool alwaysLive = false;  // constants, weights, anything with host access
  bool interleaved = false; // wants the interleaved region (wide loads)
  int alignment = 8;

  int64_t elements() const;
  Bytes bytes() const; // on the machine
  PerTile bytesByTile(int64_t tiles) const;
  bool mapped() const;
};

// Equal vertices on a range of tiles.
struct VertexRun {
  uint32_t type = 0; // index of Graph::vertexTypes()
  TileRange tiles;
  int64_t perTile = 0;         // vertices on each tile
  int64_t cycles = 0;          // of one vertex: worker cycles, or tile cycles for Multi and Supervisor
  int64_t flops = 0;           // of one vertex
  int64_t descriptorBytes = 0; // of one vertex: vectors beside its state
};

struct VertexType {
  std::string name;
  Codelet::Kind kind = Codelet::Kind::Worker;
  int64_t codeBytes = 0, stateBytes = 0, edgePointerBytes = 0;
  int edges = 0;
  int64_t workerStackBytes = 0; // stack of one worker that runs it
  int64_t fieldDataBytes = 0;   // out-of-line arrays of one vertex
  int64_t launchCycles = 0;     // overhead per superstep of library vertices; 0 for declared estimates
  int codelet = -1;             // index of a user codelet
};

struct UserVertex {
  uint32_t type = 0;
  TileId tile;
  std::vector<std::pair<uint16_t, Tensor>> edges; // field index, view
  std::vector<std::pair<uint16_t, double>> state;
  int64_t cycles = -1; // setPerfEstimate; -1: ask the codelet
};

struct ComputeSet {
  std::string name;
  DebugContextId context;
  std::vector<VertexRun> runs;
  std::vector<UserVertex> vertices;
  std::vector<VariableId> reads, writes; // of the runs; user vertices tell by their edges
  bool copies = false;                   // on-tile copies rather than compute
};

struct DebugContext {
  DebugContextId parent;
  std::string name, layer, kind, details; // details: JSON object or empty
};

enum class StreamDirection { HostToDevice, DeviceToHost };
struct Stream {
  std::string name;
  StreamDirection direction = StreamDirection::HostToDevice;
  ElementType type = ElementType::Float;
  int64_t elements = 0;
};

struct Function {
  std::string name;
  Program body;
};

struct Plan {
  DebugContextId context;
  std::string method, text, details;
  Cycles predicted{0};
  Bytes temporary{0};
};

struct VertexRef {
  ComputeSetId computeSet;
  uint32_t index = 0;
};

class Graph {
public:
  explicit Graph(arch::Machine machine);

  const arch::Machine& machine() const { return m_machine; }
  int64_t tiles() const { return m_machine.tiles(); }
  // Library ops added from now on compute their numbers cell by cell as their plan cuts them, instead of all at once: slow,
  // for small machines, and the proof that plans and mappings are right.
  void setVertexByVertex(bool on) { m_vertexByVertex = on; }
  bool vertexByVertex() const { return m_vertexByVertex; }

  // Who makes what: every variable, step and plan names a context.
  DebugContextId addContext(DebugContextId parent, std::string name, std::string layer, std::string kind,
                            std::string details = {});
  std::string fullName(DebugContextId context) const; // slash path

  Tensor addVariable(ElementType type, Shape shape, std::string name, DebugContextId context = {});
  Tensor addConstant(numerics::HostTensor value, std::string name, DebugContextId context = {});
  void setInitialValue(const Tensor& variable, numerics::HostTensor value); // whole variables only

  // The last mapping of an element wins. Throws Error(InvalidInput) for a tile the machine does not have.
  void setTileMapping(const Tensor& tensor, TileId tile);
  void setTileMapping(const Tensor& tensor, const std::vector<std::vector<Interval>>& mapping); // by tile
  void setDistribution(const Tensor& variable, Distribution distribution);
  std::vector<std::vector<Interval>> getTileMapping(const Tensor& tensor) const;
  // Spread in equal shares over all tiles (or those of one IPU), at least 128 bytes each.
  void mapTensorLinearly(const Tensor& tensor, int64_t grain = 0);

  // User vertices.
  uint32_t addCodelet(Codelet codelet);
  VertexRef addVertex(ComputeSetId computeSet, const std::string& codelet,
                      const std::vector<std::pair<std::string, Tensor>>& edges = {});
  void connect(VertexRef vertex, const std::string& field, const Tensor& tensor);
  void setInitialValue(VertexRef vertex, const std::string& field, double value);
  void setTileMapping(VertexRef vertex, TileId tile);
  void setPerfEstimate(VertexRef vertex, int64_t cycles);

  // Library vertices.
  uint32_t vertexType(const VertexType& type); // finds or adds by name
  ComputeSetId addComputeSet(std::string name, DebugContextId context = {});
  void addRun(ComputeSetId computeSet, VertexRun run) { m_computeSets[computeSet.value()].runs.push_back(run); }
  void touches(ComputeSetId computeSet, const std::vector<Tensor>& reads, const std::vector<Tensor>& writes);

  StreamId addHostToDeviceFifo(std::string handle, ElementType type, int64_t elements);
  StreamId addDeviceToHostFifo(std::string handle, ElementType type, int64_t elements);
  FunctionId addFunction(std::string name, Program body);
  void addPlan(Plan plan) { m_plans.push_back(std::move(plan)); }
  // The tile the next small tensor should start on, so that not all of them begin at tile 0.
  int64_t nextStartTile(int64_t tilesUsed);

  Variable& variable(VariableId id) { return m_variables[id.value()]; }
  const Variable& variable(VariableId id) const { return m_variables[id.value()]; }
  ComputeSet& computeSet(ComputeSetId id) { return m_computeSets[id.value()]; }
  const ComputeSet& computeSet(ComputeSetId id) const { return m_computeSets[id.value()]; }
  const std::vector<Variable>& variables() const { return m_variables; }
  const std::vector<ComputeSet>& computeSets() const { return m_computeSets; }
  const std::vector<VertexType>& vertexTypes() const { return m_vertexTypes; }
  const std::vector<Codelet>& codelets() const { return m_codelets; }
  const std::vector<DebugContext>& contexts() const { return m_contexts; }
  const std::vector<Stream>& streams() const { return m_streams; }
  const std::vector<Function>& functions() const { return m_functions; }
  const std::vector<Plan>& plans() const { return m_plans; }

private:
  UserVertex& vertex(VertexRef ref) { return m_computeSets[ref.computeSet.value()].vertices[ref.index]; }
  uint16_t fieldIndex(const UserVertex& v, const std::string& field) const;
  void requireTile(TileId tile, const std::string& what) const;
  void mapRegion(const Region& region, TileId tile);

  arch::Machine m_machine;
  std::vector<Variable> m_variables;
  std::vector<ComputeSet> m_computeSets;
  std::vector<VertexType> m_vertexTypes;
  std::map<std::string, uint32_t> m_vertexTypeByName;
  std::vector<Codelet> m_codelets;
  std::vector<DebugContext> m_contexts;
  std::vector<Stream> m_streams;
  std::vector<Function> m_functions;
  std::vector<Plan> m_plans;
  int64_t m_startTile = 0;
  bool m_vertexByVertex = false;
};

} // namespace simcore::graph

// The low-level graph: variables mapped to tiles, compute sets of vertices, streams and functions. Names and meaning follow
// Poplar's public API. Library ops add vertices as runs (equal vertices on a range of tiles), user code one by one. A Graph is a
// view of shared contents: virtual graphs see the same contents with other tile numbers. A snapshot, which an engine runs, keeps
// its contents: later changes of the graph copy them first.
#pragma once

#include "reports/core/categories.h"
#include "simcore/arch/machine.h"
#include "simcore/graph/codelet.h"
#include "simcore/graph/distribution.h"
#include "simcore/graph/edge_view.h"
#include "simcore/graph/program.h"
#include "simcore/graph/source_location.h"
#include "simcore/graph/vertex_fields.h"

#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace simcore::graph {

using reports::Bytes;
using reports::Cycles;
using reports::MemoryCategory;
using reports::TileId;

// Tiles of a variable's elements: run i has the elements [begin_i, begin of the next run).
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
  std::vector<MappingRun> mapping; // element order: row-major, or box by box if `distribution` is set
  Distribution distribution;       // set by library ops
  PerTile extraBytes;              // storage sized by a planner (replicated or padded buffers), instead of the mapping
  std::optional<numerics::HostTensor> initial;
  std::vector<Interval> initialParts; // the elements that `initial` gives; empty: all
  bool replicaIndex = false;          // its value is the replica's number; `initial` is ignored
  bool alwaysLive = false;            // constants, weights, anything that the host accesses
  bool interleaved = false;           // prefers the interleaved region (wide loads)
  bool followsVertex = false;         // a number connected to a field as a plain value: it is on the vertex's tile
  int alignment = 8;                  // bytes, on a tile; connected fields may require more

  int64_t elements() const;
  Bytes bytes() const; // on the machine
  PerTile bytesByTile() const;
  TileRange tileRange() const; // from its first tile to its last; empty if it is not mapped
  bool mapped() const;
};

// Equal vertices on a range of tiles.
struct VertexRun {
  uint32_t type = 0; // index of Graph::vertexTypes()
  TileRange tiles;
  int64_t perTile = 0; // vertices on each tile
  int64_t cycles = 0;  // per vertex: worker cycles, or tile cycles for Multi and Supervisor
  int64_t flops = 0;   // of one vertex
  // Bytes of one vertex outside its state: pointer and number arrays, descriptors of its VectorLists, its own constants.
  int64_t fieldDataBytes = 0, listBytes = 0, constantBytes = 0;
};

struct VertexType {
  std::string name;
  Codelet::Kind kind = Codelet::Kind::Worker;
  int64_t codeBytes = 0, stateBytes = 0, edgePointerBytes = 0;
  int edges = 0;
  int64_t workerStackBytes = 0; // stack of a worker that runs it
  int64_t fieldDataBytes = 0;   // out-of-line arrays of one vertex
  int64_t launchCycles = 0;     // cycles per superstep to launch library vertices; 0 for declared estimates
  int codelet = -1;             // index of a user codelet
};

struct UserVertex {
  uint32_t type = 0;
  TileId tile;
  // Field index and view. A VectorList has consecutive entries, one per vector in order. An invalid view is not connected yet.
  std::vector<std::pair<uint16_t, EdgeView>> edges;
  std::vector<StateValue> state;
  int64_t cycles = -1; // from setPerfEstimate; -1: the codelet's estimate
};

struct ComputeSet {
  std::string name;
  DebugContextId context;
  std::vector<VertexRun> runs;
  std::vector<UserVertex> vertices;
  std::map<uint32_t, int64_t> flops;     // by vertex index, if set by the user; else from the codelet
  std::vector<VariableId> reads, writes; // variables of the runs; user vertices have edges instead
  std::vector<VariableId> partialWrites; // variables in `writes` of which the runs write only a part
  bool copies = false;                   // on-tile copies rather than compute
};

struct DebugContext {
  DebugContextId parent;
  std::string name, layer, kind, details; // details: JSON object or empty
};

enum class StreamDirection { HostToDevice, DeviceToHost };
enum class ReplicatedStreamMode { Replicate, Broadcast };
struct StreamOptions {
  int64_t bufferingDepth = 1; // number of transfers that the host may prepare in advance
  ReplicatedStreamMode mode = ReplicatedStreamMode::Replicate;
};
struct Stream {
  std::string name;
  StreamDirection direction = StreamDirection::HostToDevice;
  ElementType type = ElementType::Float;
  int64_t elements = 0;
  StreamOptions options = {};
};

// A tensor that the host reads or writes between runs, by name.
struct HostHandle {
  Tensor tensor;
  bool read = false, write = false;
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

// A field of a vertex, or one vector of a VectorList field.
struct FieldRef;
struct VertexRef {
  ComputeSetId computeSet;
  uint32_t index = 0;
  FieldRef operator[](std::string field) const;
};
struct FieldRef {
  VertexRef vertex;
  std::string field;
  int64_t element = -1; // index of a vector in a VectorList
  FieldRef operator[](int64_t i) const { return {vertex, field, i}; }
};
inline FieldRef VertexRef::operator[](std::string field) const { return {*this, std::move(field)}; }

enum class VariableMappingMethod { None, Linear };

// over 40 methods because it mirrors Poplar's public Graph, whose users look for each of them here
class Graph {
public:
  explicit Graph(arch::Machine machine);
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  // The machine of the top-level graph.
  const arch::Machine& machine() const { return now().machine; }
  // The machine as this graph sees it: a virtual graph has its own tiles, on the smallest number of IPUs that gives equal shares.
  arch::Machine getTarget() const;
  int64_t tiles() const { return m_tiles ? int64_t(m_tiles->size()) : now().machine.tiles(); }

  // The same graph, seen as a machine with fewer tiles. Mappings made through it number its tiles from 0, in the order of the
  // machine or of the list. Throws Error(InvalidInput) for tiles that this graph does not have, or that occur twice in the list.
  Graph createVirtualGraph(int64_t tilesPerIpu) const;
  Graph createVirtualGraph(int64_t lowerTile, int64_t upperTile) const;
  Graph createVirtualGraph(const std::vector<int64_t>& perIpuTiles) const; // the same tiles of every IPU
  Graph getTopLevelGraph() const { return Graph(m_cell, nullptr); }
  bool isVirtual() const { return m_tiles != nullptr; }
  // The IPUs of the machine on which this graph has tiles, ascending.
  std::vector<int> topLevelIpus() const;
  // The machine's tile number of a tile of this graph.
  TileId topLevelTile(int64_t tile) const { return TileId(std::size_t(m_tiles ? (*m_tiles)[std::size_t(tile)] : tile)); }
  // The current contents; later changes of this graph do not affect them.
  std::shared_ptr<const Graph> snapshot() const;

  // From now on, added library ops compute their numbers cell by cell as cut by their plans, instead of all at once. This is slow
  // and for small machines; it checks plans and mappings.
  void setVertexByVertex(bool on) { edit().vertexByVertex = on; }
  bool vertexByVertex() const { return now().vertexByVertex; }

  // Debug contexts: every variable, step and plan names the context in which it was made. `source` is the caller's location; a
  // library that makes contexts for its users passes the user's location, or kNoSource.
  DebugContextId addContext(DebugContextId parent, std::string name, std::string layer, std::string kind,
                            std::string details = {}, const SourceLocation& source = SourceLocation::current());
  std::string fullName(DebugContextId context) const; // slash path
  std::string fullName(VariableId variable) const;    // the path of its context and its name
  std::string fullName(ComputeSetId id) const { return pathOf(computeSet(id)); }
  std::string pathOf(const ComputeSet& set) const;

  Tensor addVariable(ElementType type, Shape shape, std::string name, DebugContextId context = {});
  Tensor addVariable(ElementType type, Shape shape, VariableMappingMethod method, std::string name, DebugContextId context = {});
  Tensor addConstant(numerics::HostTensor value, std::string name, DebugContextId context = {});
  // A constant with one value for all elements, or with one value per element.
  template<class T>
  Tensor addConstant(ElementType type, const Shape& shape, const std::vector<T>& values, std::string name = {}) {
    return addConstant(numerics::HostTensor::of(shape, values).cast(type), std::move(name));
  }
  template<class T>
  Tensor addConstant(ElementType type, const Shape& shape, std::initializer_list<T> values, std::string name = {}) {
    return addConstant(type, shape, std::vector<T>(values), std::move(name));
  }
  template<class T>
  requires std::is_arithmetic_v<T> Tensor addConstant(ElementType type, const Shape& shape, T value, std::string name = {}) {
    return addConstant(numerics::HostTensor::full(type, shape, double(value)), std::move(name));
  }
  // A new variable of the same shape, each element on the tile of the original.
  Tensor clone(ElementType type, const Tensor& tensor, std::string name, DebugContextId context = {});
  Tensor clone(const Tensor& tensor, std::string name, DebugContextId context = {}) {
    return clone(tensor.elementType(), tensor, std::move(name), context);
  }
  // n clones as one tensor with an additional first dimension.
  Tensor cloneN(ElementType type, const Tensor& tensor, int64_t n, const std::string& name, DebugContextId context = {});
  // `tensor` may be any view; elements without an initial value stay unwritten. The last value wins. Throws Error(InvalidInput)
  // for another number of elements, or a view with repeated elements.
  void setInitialValue(const Tensor& tensor, numerics::HostTensor value);
  template<class T> void setInitialValue(const Tensor& tensor, const std::vector<T>& values) {
    setInitialValue(tensor, numerics::HostTensor::vector(values));
  }
  template<class T>
  requires std::is_arithmetic_v<T>
  void setInitialValue(const Tensor& tensor, T value) {
    setInitialValue(tensor, numerics::HostTensor::full(tensor.elementType(), tensor.shape(), double(value)));
  }
  // The number of replicas (identical copies of the program that run at the same time), and a variable with the index of the
  // current one: one uint32.
  int getReplicationFactor() const { return now().machine.replicas; }
  Tensor addReplicationIndexConstant(std::string name, DebugContextId context = {});

  // The last mapping of an element wins. Throws Error(InvalidInput) for a tile outside the graph.
  void setTileMapping(const Tensor& tensor, TileId tile);
  void setTileMapping(const Tensor& tensor, const std::vector<std::vector<Interval>>& mapping); // by tile
  // The intervals of the tensor on each tile of this graph. Throws Error(InvalidInput) if an element is on a tile outside a
  // virtual graph.
  std::vector<std::vector<Interval>> getTileMapping(const Tensor& tensor) const;
  // Spreads the tensor in equal shares over the tiles of this graph, with at least 128 bytes each.
  void mapTensorLinearly(const Tensor& tensor, int64_t grain = 0);
  // The same from tile `firstTile`, wrapping around at the last tile. Returns the tile after the last used one, for the next tensor.
  int64_t mapTensorLinearlyWithOffset(const Tensor& tensor, int64_t firstTile, int64_t grain = 0);
  // For planners: the layout has tile numbers of the machine.
  void setDistribution(const Tensor& variable, Distribution distribution);

  // User vertices.
  uint32_t addCodelet(Codelet codelet);
  // Replaces or adds the compiled code of a codelet, after its files were linked with further ones. Throws Error(NotFound).
  void replaceBody(const std::string& codelet, std::shared_ptr<const NativeBody> native);
  VertexRef addVertex(ComputeSetId computeSet, const std::string& codelet,
                      const std::vector<std::pair<std::string, Tensor>>& edges = {});
  // Throws Error(InvalidInput) naming codelet and field for an unknown field, another element type, a Scalar field with more than
  // one element, or a field that is already connected.
  void connect(VertexRef vertex, const std::string& field, const Tensor& tensor);
  void connect(VertexRef vertex, const std::string& field, const std::vector<Tensor>& list); // VectorList
  void connect(const FieldRef& field, const Tensor& tensor);
  void connect(const FieldRef& field, const std::vector<Tensor>& list) { connect(field.vertex, field.field, list); }
  // A constant on the tile of the vertex.
  void connect(const FieldRef& field, double value);
  void setFieldSize(const FieldRef& field, int64_t vectors); // of a VectorList, before its vectors are connected one by one
  // Sets a plain member of a vertex, all elements of an array, or one of them (v["x"][2]). Whole numbers are stored exactly.
  template<class T>
  requires std::is_arithmetic_v<T>
  void setInitialValue(const FieldRef& field, T value) { setState(field, stateOf(value)); }
  template<class T> void setInitialValue(const FieldRef& field, const std::vector<T>& values) {
    requireLength(field, int64_t(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) setState(field[int64_t(i)], stateOf(T(values[i])));
  }
  template<class T> void setInitialValue(VertexRef vertex, const std::string& field, T value) {
    setInitialValue(FieldRef{vertex, field}, value);
  }
  void setTileMapping(VertexRef vertex, TileId tile);
  void setPerfEstimate(VertexRef vertex, int64_t cycles);
  void setPerfEstimate(VertexRef vertex, int64_t cycles, int64_t flops);
  // Bytes of the descriptors of a vertex's VectorLists.
  int64_t descriptorBytes(const UserVertex& vertex) const;

  // Library vertices.
  uint32_t vertexType(const VertexType& type); // finds or adds by name
  ComputeSetId addComputeSet(std::string name, DebugContextId context = {});
  void addRun(ComputeSetId computeSet, VertexRun run) { edit().computeSets[computeSet.value()].runs.push_back(run); }
  // The variables that library vertices of a compute set read and write, for liveness and the sharing of storage.
  void addUses(ComputeSetId computeSet, const std::vector<Tensor>& reads, const std::vector<Tensor>& writes);

  // Streams and remote buffers, identified by name on the host. Throws Error(InvalidInput) for a handle that is already used.
  StreamId addHostToDeviceFifo(std::string handle, ElementType type, int64_t elements, StreamOptions options = {});
  StreamId addDeviceToHostFifo(std::string handle, ElementType type, int64_t elements, StreamOptions options = {});
  RemoteBuffer addRemoteBuffer(std::string handle, ElementType type, int64_t elements, int64_t repeats = 1,
                               bool rearrangeOnHost = false, bool optimiseMemory = false);
  HostFunction addHostFunction(std::string handle, std::vector<HostFunctionArgument> inputs,
                               std::vector<HostFunctionArgument> outputs);
  void createHostRead(const std::string& handle, const Tensor& tensor);
  void createHostWrite(const std::string& handle, const Tensor& tensor);
  // Throws Error(InvalidInput) naming the constant if part of the tensor is one.
  void requireWritable(const Tensor& tensor, const std::string& where) const;

  // Measures `sequence`: adds barriers around it, and stores the cycles between them on a tile of this graph in the result: two
  // words, the lower first.
  Tensor cycleCount(Sequence& sequence, TileId tile, SyncType sync = SyncType::Internal, const std::string& name = "cycleCount");

  // Graphviz text: variables, compute sets and copies of programs; or the vertices that users added, with their variables.
  void outputComputeGraph(std::ostream& out, const std::vector<Program>& programs) const;
  void outputVertexGraph(std::ostream& out) const;

  // Whether exchanges keep their sender/receiver pairs. Trial graphs of planners drop them, because nothing reads them there.
  void keepPairs(bool keep) { edit().keepsPairs = keep; }
  bool keepsPairs() const { return now().keepsPairs; }

  FunctionId addFunction(std::string name, Program body);
  void addPlan(Plan plan) { edit().plans.push_back(std::move(plan)); }
  // The first tile for the next small tensor, so that small tensors do not all start at tile 0.
  int64_t nextStartTile(int64_t tilesUsed);

  // These throw Error(InvalidInput) for an id that is not in this graph.
  Variable& variable(VariableId id) { return own(edit().variables, id.value(), "variable"); }
  const Variable& variable(VariableId id) const { return own(now().variables, id.value(), "variable"); }
  ComputeSet& computeSet(ComputeSetId id) { return own(edit().computeSets, id.value(), "compute set"); }
  const ComputeSet& computeSet(ComputeSetId id) const { return own(now().computeSets, id.value(), "compute set"); }
  const Stream& stream(StreamId id) const { return own(now().streams, id.value, "stream"); }
  const Function& function(FunctionId id) const { return own(now().functions, id.value, "function"); }
  const std::vector<Variable>& variables() const { return now().variables; }
  const std::vector<ComputeSet>& computeSets() const { return now().computeSets; }
  const std::vector<VertexType>& vertexTypes() const { return now().vertexTypes; }
  const std::vector<Codelet>& codelets() const { return now().codelets; }
  const std::vector<DebugContext>& contexts() const { return now().contexts; }
  const std::vector<Stream>& streams() const { return now().streams; }
  const std::vector<RemoteBuffer>& remoteBuffers() const { return now().remoteBuffers; }
  const std::vector<HostFunction>& hostFunctions() const { return now().hostFunctions; }
  const std::map<std::string, HostHandle>& hostHandles() const { return now().hostHandles; }
  const std::vector<Function>& functions() const { return now().functions; }
  const std::vector<Plan>& plans() const { return now().plans; }
  const Codelet& codeletOf(const UserVertex& vertex) const { return codelets()[std::size_t(vertexTypes()[vertex.type].codelet)]; }

private:
  struct Contents {
    arch::Machine machine;
    std::vector<Variable> variables;
    std::vector<ComputeSet> computeSets;
    std::vector<VertexType> vertexTypes;
    std::map<std::string, uint32_t> vertexTypeByName;
    std::vector<Codelet> codelets;
    std::vector<DebugContext> contexts;
    std::vector<Stream> streams;
    std::vector<RemoteBuffer> remoteBuffers;
    std::vector<HostFunction> hostFunctions;
    std::map<std::string, HostHandle> hostHandles;
    std::vector<Function> functions;
    std::vector<Plan> plans;
    int64_t startTile = 0;
    bool vertexByVertex = false, keepsPairs = true;
  };
  // Holds the contents of a graph and its virtual graphs; a snapshot has its own cell with the same contents.
  struct Cell {
    std::shared_ptr<Contents> contents;
  };
  using TileList = std::shared_ptr<const std::vector<int64_t>>;

  Graph(std::shared_ptr<Cell> cell, TileList tiles) : m_cell(std::move(cell)), m_tiles(std::move(tiles)) {}
  const Contents& now() const { return *m_cell->contents; }
  Contents& edit() {
    if (m_cell->contents.use_count() > 1) leaveSnapshots();
    return *m_cell->contents;
  }
  void leaveSnapshots(); // copies the contents
  Graph withTiles(std::vector<int64_t> tiles) const;
  template<class T> static T& own(std::vector<T>& list, std::size_t index, const char* what) {
    if (index >= list.size()) refuseForeign(what, index);
    return list[index];
  }
  template<class T> static const T& own(const std::vector<T>& list, std::size_t index, const char* what) {
    if (index >= list.size()) refuseForeign(what, index);
    return list[index];
  }
  [[noreturn]] static void refuseForeign(const char* what, std::size_t index);
  void requireOwn(const Tensor& tensor) const;
  template<class T> static decltype(StateValue::value) stateOf(T value) {
    if constexpr (std::is_floating_point_v<T>)
      return double(value);
    else if constexpr (std::is_signed_v<T>)
      return int64_t(value);
    else
      return uint64_t(value);
  }
  uint16_t stateIndex(const FieldRef& field) const;
  void requireLength(const FieldRef& field, int64_t values) const;
  void setState(const FieldRef& field, decltype(StateValue::value) value);
  UserVertex& vertex(VertexRef ref) { return own(computeSet(ref.computeSet).vertices, ref.index, "vertex"); }
  const UserVertex& vertex(VertexRef ref) const { return own(computeSet(ref.computeSet).vertices, ref.index, "vertex"); }
  uint16_t fieldIndex(const UserVertex& v, const std::string& field) const;
  // The edge for a connection to this field, or to one of its vectors; null: it must be added. Throws Error(InvalidInput) if it
  // is already connected.
  EdgeView* freeEdge(const FieldRef& field);
  void attach(const FieldRef& field, const Tensor& tensor);
  void requireFits(VertexRef ref, uint16_t field, const Tensor& tensor) const;
  std::string fieldName(VertexRef ref, const std::string& field) const; // with codelet and compute set
  bool hasTile(TileId tile) const { return tile.valid() && int64_t(tile.value()) < tiles(); }
  [[noreturn]] void refuseTile(TileId tile, const std::string& what) const;
  void requireFreeHandle(const std::string& handle) const;
  StreamId addStream(Stream stream);
  HostHandle& hostHandle(const std::string& handle, const Tensor& tensor);
  void mapRegion(const Region& region, TileId topLevelTile);

  std::shared_ptr<Cell> m_cell;
  TileList m_tiles; // null: all, in order
};

} // namespace simcore::graph

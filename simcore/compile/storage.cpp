#include "simcore/compile/storage.h"

#include "simcore/codelets/code_size.h"
#include "simcore/compile/exchange_plan.h"
#include "simcore/graph/tile_sums.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace simcore::compile {

namespace {

using graph::TileSums;

constexpr auto kWorklistType = graph::ElementType::UInt16;
constexpr int64_t kCopyState = 12, kCopyDescriptor = 12;
// At the start of a run the host sends the program's number in two transfers (programming-model 1.6) of three barriers each.
constexpr int64_t kRunStart = 2 * 3 * 4;

void append(std::vector<Storage>& out, std::string name, MemoryCategory category, PerTile bytes, int alignment = 4) {
  if (bytes.empty()) return;
  Storage s;
  s.name = std::move(name);
  s.category = category;
  s.bytes = std::move(bytes);
  s.alignment = alignment;
  out.push_back(std::move(s));
}

// Memory of the vertices of all compute sets: a codelet's code once per tile, state and launch table entries per vertex.
struct VertexStorage {
  explicit VertexStorage(int64_t tiles)
      : state(tiles), fieldData(tiles), listDescriptors(tiles), copyDescriptors(tiles), table(tiles) {}

  std::map<uint32_t, PerTile> presence; // 1 on tiles that have the type
  TileSums state, fieldData, listDescriptors, copyDescriptors, table;
  PerTile largestStack;
  std::vector<Storage> constants;

  void add(const graph::Graph& graph, const graph::ComputeSet& set, const ComputeCost& cost) {
    addConstants(graph, set, cost);
    for (const auto& share : cost.types) {
      const auto& type = graph.vertexTypes()[share.type];
      state.add(share.count, type.stateBytes);
      (set.copies ? copyDescriptors : fieldData).add(share.fieldData);
      (set.copies ? copyDescriptors : listDescriptors).add(share.lists);
      table.add(share.count, 4); // a pointer per vertex, and pointer and count per compute set
      for (const auto& r : share.count.runs()) {
        presence[share.type].maxWith(PerTile::uniform(r.tiles, 1));
        largestStack.maxWith(PerTile::uniform(r.tiles, type.workerStackBytes));
        table.add(r.tiles, 8);
      }
    }
  }

  // Worklists are the only constants of library vertices (codelets::VertexState). All worklists of equal length in one compute
  // set are one variable with a copy per vertex: poplin and popnn add a constant for each vertex, and give those of a set one
  // name.
  void addConstants(const graph::Graph& graph, const graph::ComputeSet& set, const ComputeCost& cost) {
    std::map<int64_t, PerTile> vertices;
    for (const auto& share : cost.types)
      for (const auto& [bytes, count] : share.constants) vertices[bytes].add(count);
    for (const auto& [bytes, count] : vertices) {
      Storage s;
      s.name = graph.pathOf(set) + "/worklists";
      s.context = set.context;
      s.category = MemoryCategory::Constant;
      s.bytes.add(count, bytes);
      s.elementType = numerics::elementTypeName(kWorklistType);
      s.elements = bytes / int64_t(numerics::deviceSize(kWorklistType));
      constants.push_back(std::move(s));
    }
  }
};

// Memory of steps and exchanges, without the vertices.
struct ProgramStorage {
  explicit ProgramStorage(int64_t tiles)
      : internalCode(tiles), globalCode(tiles), hostCode(tiles), hostHeaders(tiles), controlCode(tiles), instrumentation(tiles) {}

  TileSums internalCode, globalCode, hostCode, hostHeaders, controlCode, instrumentation;

  void add(const Step& s) {
    controlCode.add(s.controlCode);
    // Two 32-bit cycle counts per compute set, at its begin and end, on every participating tile (4 to 8 bytes, ipu-reference 7).
    if (s.activity == Activity::Compute)
      for (const auto& r : s.cycles.runs()) instrumentation.add(r.tiles, 8);
  }
  void add(const Exchange& e) {
    (e.activity == Activity::HostStream       ? hostCode
     : e.activity == Activity::GlobalExchange ? globalCode
                                              : internalCode)
        .add(e.codeBytes);
    hostHeaders.add(e.packets, kHostHeaderBytes);
  }
  void sendCounters(const arch::Machine& machine) { // at the end of a run the counters are sent to the host
    const PerTile counters = instrumentation.perTile();
    const HostTransferCost cost = hostTransferCost(machine, counters, false);
    for (const auto& r : counters.runs()) hostCode.add(r.tiles, kHostBarrierCode);
    hostCode.add(cost.codeBytes);
    hostHeaders.add(cost.packets, kHostHeaderBytes);
  }
};

VertexStorage vertexStorage(const graph::Graph& graph, const LoweredProgram& program) {
  VertexStorage vertices(graph.tiles());
  std::vector<bool> seen(graph.computeSets().size(), false);
  for (const Step& s : program.steps) {
    if (s.kind == StepKind::OnTileCopy && !s.computeSet.valid())
      for (const auto& r : s.copyRuns.runs()) { // a copy vertex: pointers and count; per run source, destination and length
        vertices.state.add(r.tiles, kCopyState);
        vertices.copyDescriptors.add(r.tiles, r.value * kCopyDescriptor);
      }
    if (!s.computeSet.valid() || seen[s.computeSet.value()]) continue;
    seen[s.computeSet.value()] = true;
    vertices.add(graph, graph.computeSet(s.computeSet), program.costs[s.computeSet.value()]);
  }
  return vertices;
}

} // namespace

std::vector<Storage> machineStorage(const graph::Graph& graph, const LoweredProgram& program, bool instrument) {
  const graph::TileRange all{0, graph.tiles()};
  VertexStorage vertices = vertexStorage(graph, program);
  ProgramStorage p(graph.tiles());
  p.controlCode.add(all, 64);
  p.hostCode.add(all, kRunStart);
  for (const Step& s : program.steps) p.add(s);
  for (const Exchange& e : program.exchanges) p.add(e);
  if (instrument) p.sendCounters(graph.machine());

  std::vector<Storage> out;
  for (const auto& [type, presence] : vertices.presence) {
    PerTile code;
    code.add(presence, reports::roundUp(graph.vertexTypes()[type].codeBytes, 8));
    append(out, "vertexCode/" + graph.vertexTypes()[type].name, MemoryCategory::VertexCode, std::move(code), 8);
  }
  append(out, "vertexCode/runtime", MemoryCategory::VertexCode, PerTile::uniform(all, codelets::kRuntimeCode.value()), 8);
  append(out, "internalExchangeCode", MemoryCategory::InternalExchangeCode, p.internalCode.perTile(), 8);
  append(out, "globalExchangeCode", MemoryCategory::GlobalExchangeCode, p.globalCode.perTile(), 8);
  append(out, "hostExchangeCode", MemoryCategory::HostExchangeCode, p.hostCode.perTile(), 8);
  append(out, "controlCode", MemoryCategory::ControlCode, p.controlCode.perTile(), 8);
  append(out, "vertexInstanceState", MemoryCategory::VertexInstanceState, vertices.state.perTile());
  append(out, "vertexFieldData", MemoryCategory::VertexFieldData, vertices.fieldData.perTile());
  append(out, "vectorListDescriptor", MemoryCategory::VectorListDescriptor, vertices.listDescriptors.perTile());
  std::move(vertices.constants.begin(), vertices.constants.end(), std::back_inserter(out));
  append(out, "copyDescriptor", MemoryCategory::CopyDescriptor, vertices.copyDescriptors.perTile());
  append(out, "controlTable", MemoryCategory::ControlTable, vertices.table.perTile());
  append(out, "controlId", MemoryCategory::ControlId, PerTile::uniform(all, 8));
  append(out, "hostExchangePacketHeader", MemoryCategory::HostExchangePacketHeader, p.hostHeaders.perTile(), 8);
  const int workers = graph.machine().tile.workers;
  PerTile stack = PerTile::uniform(all, codelets::tileStackBytes(codelets::Bytes(0), workers).value());
  stack.add(vertices.largestStack, workers);
  append(out, "stack", MemoryCategory::Stack, std::move(stack), 8);
  if (instrument) append(out, "instrumentationResults", MemoryCategory::InstrumentationResults, p.instrumentation.perTile(), 8);
  if (const BlockBuffer& blocks = program.blockBuffer; blocks.bytes > 0) {
    PerTile buffer;
    for (int64_t tile = blocks.tile; tile < graph.tiles(); tile += graph.machine().tilesPerIpu)
      buffer.add({tile, tile + 1}, reports::roundUp(blocks.bytes, 4));
    append(out, "blockProfilingBuffer", MemoryCategory::InstrumentationResults, std::move(buffer), 8);
  }
  return out;
}

} // namespace simcore::compile

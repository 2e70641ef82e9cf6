#include "simcore/compile/storage.h"

#include "simcore/codelets/code_size.h"

#include <algorithm>
#include <map>

namespace simcore::compile {

namespace {

void append(std::vector<Storage>& out, std::string name, MemoryCategory category, PerTile bytes, int alignment = 4) {
  if (bytes.empty()) return;
  Storage s;
  s.name = std::move(name);
  s.category = category;
  s.bytes = std::move(bytes);
  s.alignment = alignment;
  out.push_back(std::move(s));
}

// What the vertices of all compute sets need: each codelet's code once per tile, state and launch table entries per vertex.
struct VertexStorage {
  std::map<uint32_t, PerTile> presence; // 1 on tiles that have the type
  PerTile state, descriptors, table, largestStack;

  void add(const graph::Graph& graph, uint32_t type, graph::TileRange tiles, int64_t perTile, int64_t descriptorBytes) {
    presence[type].maxWith(PerTile::uniform(tiles, 1));
    state.add(PerTile::uniform(tiles, perTile * graph.vertexTypes()[type].stateBytes));
    descriptors.add(PerTile::uniform(tiles, perTile * (descriptorBytes + graph.vertexTypes()[type].fieldDataBytes)));
    largestStack.maxWith(PerTile::uniform(tiles, graph.vertexTypes()[type].workerStackBytes));
    table.add(PerTile::uniform(tiles, 8 + 4 * perTile)); // pointer and count per compute set, then a pointer a vertex
  }
};

} // namespace

std::vector<Storage> machineStorage(const graph::Graph& graph, const LoweredProgram& program, bool instrument) {
  const graph::TileRange all{0, graph.tiles()};
  VertexStorage vertices;
  PerTile internalCode, globalCode, hostCode, hostHeaders, copyDescriptors, instrumentation, controlId;
  std::vector<bool> seen(graph.computeSets().size(), false);
  const int64_t perIpu = graph.machine().tilesPerIpu;
  PerTile controlCode = PerTile::uniform(all, 64);
  for (const Step& s : program.steps) {
    const graph::TileRange tiles{s.firstIpu * perIpu, s.endIpu * perIpu};
    controlCode.add(tiles, s.controlCodeBytes / std::max<int64_t>(1, tiles.size()));
    // A 32-bit cycle count per instrumented step on every tile (4 to 8 bytes each, ipu-reference 7).
    if (s.activity == Activity::Compute || s.activity == Activity::HostStream) instrumentation.add(tiles, 4);
    if (s.kind == StepKind::OnTileCopy && !s.computeSet.valid())
      for (const auto& r : s.cycles.runs()) copyDescriptors.add(PerTile::uniform(r.tiles, 12)); // source, destination, count
    if (!s.computeSet.valid() || seen[s.computeSet.value()]) continue;
    seen[s.computeSet.value()] = true;
    const auto& set = graph.computeSet(s.computeSet);
    for (const auto& run : set.runs) vertices.add(graph, run.type, run.tiles, run.perTile, run.descriptorBytes);
    for (const auto& v : set.vertices) vertices.add(graph, v.type, {int64_t(v.tile.value()), int64_t(v.tile.value()) + 1}, 1, 0);
  }
  for (const Exchange& e : program.exchanges) {
    (e.activity == Activity::HostStream       ? hostCode
     : e.activity == Activity::GlobalExchange ? globalCode
                                              : internalCode)
        .add(e.codeBytes);
    if (e.activity != Activity::HostStream) continue;
    for (const auto& r : e.bytesIn.runs()) hostHeaders.add(PerTile::uniform(r.tiles, 8 * reports::ceilDiv(r.value, 1024)));
    for (const auto& r : e.bytesOut.runs()) hostHeaders.add(PerTile::uniform(r.tiles, 8 * reports::ceilDiv(r.value, 256)));
  }

  std::vector<Storage> out;
  for (const auto& [type, presence] : vertices.presence) {
    PerTile code;
    code.add(presence, reports::roundUp(graph.vertexTypes()[type].codeBytes, 8));
    append(out, "vertexCode/" + graph.vertexTypes()[type].name, MemoryCategory::VertexCode, std::move(code), 8);
  }
  append(out, "vertexCode/runtime", MemoryCategory::VertexCode, PerTile::uniform(all, codelets::kRuntimeCode.value()), 8);
  append(out, "internalExchangeCode", MemoryCategory::InternalExchangeCode, std::move(internalCode), 8);
  append(out, "globalExchangeCode", MemoryCategory::GlobalExchangeCode, std::move(globalCode), 8);
  append(out, "hostExchangeCode", MemoryCategory::HostExchangeCode, std::move(hostCode), 8);
  append(out, "controlCode", MemoryCategory::ControlCode, std::move(controlCode), 8);
  append(out, "vertexInstanceState", MemoryCategory::VertexInstanceState, std::move(vertices.state));
  append(out, "vertexFieldData", MemoryCategory::VertexFieldData, std::move(vertices.descriptors));
  append(out, "copyDescriptor", MemoryCategory::CopyDescriptor, std::move(copyDescriptors));
  append(out, "controlTable", MemoryCategory::ControlTable, std::move(vertices.table));
  append(out, "controlId", MemoryCategory::ControlId, PerTile::uniform(all, 8));
  append(out, "hostExchangePacketHeader", MemoryCategory::HostExchangePacketHeader, std::move(hostHeaders), 8);
  const int workers = graph.machine().tile.workers;
  PerTile stack = PerTile::uniform(all, codelets::tileStackBytes(codelets::Bytes(0), workers).value());
  stack.add(vertices.largestStack, workers);
  append(out, "stack", MemoryCategory::Stack, std::move(stack), 8);
  if (instrument) append(out, "instrumentationResults", MemoryCategory::InstrumentationResults, std::move(instrumentation), 8);
  return out;
}

} // namespace simcore::compile

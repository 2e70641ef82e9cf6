// The tables "largest variables" and "vertices by type" of tile_details.h.
#include "analyser/memory/tile_details.h"

#include "analyser/session/debug_contexts.h"
#include "analyser/session/vertex_source.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace analyser::memory {

namespace {

struct Candidate {
  VariableUse use;
  std::optional<int64_t> context; // its operation is looked up only if the candidate is kept
};

// 0 for an unknown type.
int64_t bytesOf(std::string_view type) {
  if (type == "half" || type == "short" || type == "ushort" || type == "int16" || type == "uint16") return 2;
  if (type == "float" || type == "int" || type == "uint" || type == "int32" || type == "uint32") return 4;
  if (type == "char" || type == "uchar" || type == "schar" || type == "bool" || type == "int8" || type == "uint8") return 1;
  if (type == "longlong" || type == "ulonglong" || type == "double" || type == "int64" || type == "uint64") return 8;
  return 0;
}

struct Held {
  int64_t bytes = 0, largest = 0, tiles = 0;
};

std::unordered_map<int64_t, Held> heldOn(Session& session, std::span<const TileId> selection, const std::stop_token& stop) {
  std::unordered_map<int64_t, Held> held;
  for (const TileId tile : selection) {
    reports::throwIfStopped(stop);
    const auto row = session.reader().first<reports::TileVariablesRow>("tile = ?", {int64_t(tile.value())});
    if (!row) continue;
    const auto n = static_cast<std::size_t>(row->lowered);
    const auto ids = reports::unpackDeltas(row->variables, n, "tile_variables.variables");
    const auto sizes = reports::unpackVarints(row->sizes, n, "tile_variables.sizes");
    std::unordered_map<int64_t, int64_t> here; // a variable may be in several pieces
    for (std::size_t i = 0; i < n; ++i) here[ids[i]] += sizes[i];
    for (const auto& [id, bytes] : here) {
      Held& h = held[id];
      h.bytes += bytes;
      h.largest = std::max(h.largest, bytes);
      ++h.tiles;
    }
  }
  return held;
}

} // namespace

std::vector<VariableUse> topVariables(Session& session, std::size_t count, std::span<const TileId> selection,
                                      std::stop_token stop) {
  const auto held = heldOn(session, selection, stop);
  std::vector<Candidate> candidates;
  session.reader().forEach<reports::VariableRow>(
      {}, {},
      [&](reports::VariableRow& row) {
        VariableUse u;
        u.variable = reports::VariableId(static_cast<std::size_t>(row.id));
        u.total = Bytes(row.totalBytes);
        u.maxTile = Bytes(row.maxTileBytes);
        u.tiles = row.tiles;
        if (const int64_t one = row.elements * bytesOf(row.elementType); one > 0) u.copies = double(row.totalBytes) / double(one);
        if (!selection.empty()) {
          const auto it = held.find(row.id);
          if (it == held.end()) return;
          u.total = Bytes(it->second.bytes);
          u.maxTile = Bytes(it->second.largest);
          u.tiles = it->second.tiles;
        }
        u.name = session.text(row.nameId);
        u.elementType = std::move(row.elementType);
        u.shape = std::move(row.shape);
        if (row.category >= 0 && row.category < reports::kMemoryCategoryCount)
          u.category = static_cast<reports::MemoryCategory>(row.category);
        u.alwaysLive = row.alwaysLive != 0;
        candidates.push_back({std::move(u), row.debugContextId});
      },
      stop);
  const auto larger = [](const Candidate& a, const Candidate& b) {
    return std::tie(b.use.total, a.use.variable) < std::tie(a.use.total, b.use.variable);
  };
  const std::size_t kept = std::min(count, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(), larger);
  candidates.resize(kept);
  const OperationNames names(session, stop);
  std::vector<VariableUse> uses;
  for (Candidate& c : candidates) {
    c.use.operation = names.of(c.context);
    uses.push_back(std::move(c.use));
  }
  return uses;
}

namespace {
// How often each compute set ran: the executions of its steps, on the IPU with most of them.
std::unordered_map<int64_t, int64_t> executionsOfComputeSets(Session& session, const std::stop_token& stop) {
  std::unordered_map<int64_t, std::map<int64_t, int64_t>> ofSteps; // by step and IPU; -1: a profile of all IPUs
  session.reader().forEach<reports::StepProfileRow>(
      {}, {}, [&](const reports::StepProfileRow& row) { ofSteps[row.programStepId][row.ipu.value_or(-1)] += row.executions; },
      stop);
  std::unordered_map<int64_t, int64_t> executions;
  session.reader().forEach<reports::ProgramStepRow>(
      "compute_set_id IS NOT NULL", {},
      [&](const reports::ProgramStepRow& row) {
        int64_t ofAll = 0, most = 0;
        for (const auto& [ipu, count] : ofSteps[row.id]) ipu < 0 ? void(ofAll += count) : void(most = std::max(most, count));
        executions[*row.computeSetId] += ofAll + most;
      },
      stop);
  return executions;
}
} // namespace

std::vector<VertexUse> verticesByType(Session& session, std::span<const TileId> selection, std::stop_token stop) {
  const auto executions = executionsOfComputeSets(session, stop);
  std::unordered_map<int64_t, double> cycles;
  std::unordered_map<int64_t, VertexUse> types;
  std::unordered_map<int64_t, double> state;
  std::unordered_map<int64_t, std::vector<bool>> tilesOf; // tiles with a vertex of the type
  const auto tiles = static_cast<std::size_t>(session.machine().tiles());
  session.reader().forEach<reports::ComputeSetVerticesRow>(
      {}, {},
      [&](const reports::ComputeSetVerticesRow& row) {
        const reports::AmountRuns byTile(row.verticesByTile, tiles, "compute_set_vertices.vertices_by_tile");
        int64_t vertices = row.vertices;
        if (!selection.empty()) {
          vertices = 0;
          for (const TileId tile : selection)
            if (tile.value() < byTile.size()) vertices += byTile.at(tile.value());
        }
        if (vertices <= 0) return;
        std::vector<bool>& on = tilesOf[row.vertexTypeId];
        on.resize(tiles);
        for (const reports::ValueRun& run : byTile.runs())
          if (run.value > 0) std::fill(on.begin() + std::ptrdiff_t(run.begin), on.begin() + std::ptrdiff_t(run.end), true);
        VertexUse& use = types[row.vertexTypeId];
        use.vertices += vertices;
        ++use.computeSets;
        if (const auto ran = executions.find(row.computeSetId); ran != executions.end() && row.vertices > 0)
          cycles[row.vertexTypeId] += double(row.cycles) * double(ran->second) * double(vertices) / double(row.vertices);
        if (row.vertices > 0) state[row.vertexTypeId] += double(row.stateBytes) * double(vertices) / double(row.vertices);
      },
      stop);
  std::vector<VertexUse> uses;
  for (auto& [id, use] : types) {
    if (const auto type = session.reader().first<reports::VertexTypeRow>("id = ?", {id})) {
      use.type = session.text(type->nameId);
      use.kind = type->kind;
      use.codeBytes = Bytes(type->codeBytes);
      use.source = sourceOf(session, *type);
    }
    use.stateBytes = Bytes(std::llround(state[id]));
    constexpr double kMost = 9e18; // a damaged report may exceed all integers
    if (const auto ran = cycles.find(id); ran != cycles.end()) use.tileCycles = std::llround(std::clamp(ran->second, 0.0, kMost));
    const std::vector<bool>& on = tilesOf[id];
    const int64_t with = selection.empty() ? std::count(on.begin(), on.end(), true)
                                           : std::count_if(selection.begin(), selection.end(), [&](TileId tile) {
                                               return tile.value() < on.size() && on[tile.value()];
                                             });
    if (with > 0) use.tiles = with; // imported reports have the number of vertices, but not their tiles
    uses.push_back(std::move(use));
  }
  std::sort(uses.begin(), uses.end(),
            [](const VertexUse& a, const VertexUse& b) { return std::tie(b.vertices, a.type) < std::tie(a.vertices, b.type); });
  return uses;
}

} // namespace analyser::memory

#include "analyser/memory/compute_set_uses.h"

#include "analyser/memory/using_steps.h"
#include "analyser/session/debug_contexts.h"
#include "reports/core/amounts.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace analyser::memory {

namespace {

// The number of the vertices on the selected tiles, and the number of these tiles.
std::pair<int64_t, int64_t> onSelection(const reports::AmountRuns& byTile, std::span<const TileId> selection) {
  if (selection.empty()) return {byTile.sum(), byTile.positive()};
  std::pair<int64_t, int64_t> found;
  for (const TileId tile : selection) {
    const int64_t n = tile.value() < byTile.size() ? byTile.at(tile.value()) : 0;
    found.first += n, found.second += n > 0;
  }
  return found;
}

} // namespace

std::vector<ComputeSetUse> computeSetsOn(Session& session, std::span<const TileId> selection, std::stop_token stop) {
  const UsingSteps steps = readUsingSteps(session, stop);
  const OperationNames operations(session, stop);
  const auto tiles = static_cast<std::size_t>(session.machine().tiles());
  std::unordered_map<int64_t, std::string> typeNames;
  session.reader().forEach<reports::VertexTypeRow>(
      {}, {}, [&](const reports::VertexTypeRow& row) { typeNames.emplace(row.id, session.text(row.nameId)); });
  struct Gathered {
    ComputeSetUse use;
    double state = 0;
    std::vector<std::pair<int64_t, int64_t>> types; // vertices, type
  };
  std::unordered_map<int64_t, Gathered> sets;
  session.reader().forEach<reports::ComputeSetVerticesRow>(
      {}, {},
      [&](const reports::ComputeSetVerticesRow& row) {
        const reports::AmountRuns byTile(row.verticesByTile, tiles, "compute_set_vertices.vertices_by_tile");
        const auto [vertices, on] = onSelection(byTile, selection);
        if (vertices == 0) return;
        Gathered& set = sets[row.computeSetId];
        set.use.vertices += vertices, set.use.tiles = std::max(set.use.tiles, on);
        set.types.emplace_back(vertices, row.vertexTypeId);
        if (row.vertices > 0) set.state += double(row.stateBytes) * double(vertices) / double(row.vertices);
      },
      stop);
  std::vector<ComputeSetUse> uses;
  session.reader().forEach<reports::ComputeSetRow>(
      {}, {},
      [&](const reports::ComputeSetRow& row) {
        const auto at = sets.find(row.id);
        if (at == sets.end()) return;
        ComputeSetUse use = std::move(at->second.use);
        use.name = session.text(row.nameId);
        use.operation = operations.of(row.debugContextId);
        use.stateBytes = Bytes(std::llround(at->second.state));
        std::sort(at->second.types.rbegin(), at->second.types.rend());
        for (const auto& [vertices, type] : at->second.types) {
          const auto name = typeNames.find(type);
          if (!use.types.empty()) use.types += ", ";
          use.types += name == typeNames.end() ? "?" : name->second;
        }
        if (const auto step = steps.ofComputeSet.find(row.id); step != steps.ofComputeSet.end()) {
          use.step = step->second.step, use.executions = step->second.count;
          use.name = session.text(step->second.nameId); // the full path, because many compute sets have equal names
        }
        uses.push_back(std::move(use));
      },
      stop);
  std::stable_sort(uses.begin(), uses.end(),
                   [](const ComputeSetUse& a, const ComputeSetUse& b) { return a.vertices > b.vertices; });
  return uses;
}

} // namespace analyser::memory

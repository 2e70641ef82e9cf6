#include "simcore/compile/compute_cost.h"

#include "reports/core/error.h"
#include "simcore/codelets/workers.h"

#include <algorithm>

namespace simcore::compile {

using graph::Codelet;
using graph::TileRange;

namespace {

// The vertices of one tile in table order.
struct TileLoad {
  std::vector<codelets::WorkerRun> workers;
  int64_t serial = 0; // MultiVertices and supervisors
  int64_t launch = 0;

  void add(const graph::VertexType& type, int64_t count, int64_t cycles) {
    launch = std::max(launch, type.launchCycles);
    if (type.kind == Codelet::Kind::Worker)
      workers.push_back({count, reports::Cycles(cycles)});
    else
      serial += count * cycles;
  }
  int64_t cycles(int workerContexts) const {
    return serial + launch + (workers.empty() ? 0 : codelets::scheduleWorkers(workers, workerContexts).value());
  }
};

// Library runs: the same mix of runs holds on whole ranges of tiles, so cost each stretch between range ends once.
void addRuns(const graph::Graph& graph, const graph::ComputeSet& set, ComputeCost& cost) {
  std::vector<int64_t> edges;
  for (const auto& run : set.runs) {
    edges.push_back(run.tiles.begin);
    edges.push_back(run.tiles.end);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<TileLoad> loads(edges.size());
  for (const auto& run : set.runs) {
    const auto& type = graph.vertexTypes()[run.type];
    const auto first = std::lower_bound(edges.begin(), edges.end(), run.tiles.begin) - edges.begin();
    for (std::size_t i = std::size_t(first); i < edges.size() && edges[i] < run.tiles.end; ++i)
      loads[i].add(type, run.perTile, run.cycles);
    const int64_t n = run.perTile * run.tiles.size();
    cost.vertices += n;
    cost.edges += n * type.edges;
    cost.flops += n * run.flops;
    cost.workerCycles += n * run.cycles;
  }
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    cost.cycles.add(TileRange{edges[i], edges[i + 1]}, loads[i].cycles(graph.machine().tile.workers));
}

void addVertices(const graph::Graph& graph, const graph::ComputeSet& set, ComputeCost& cost) {
  if (set.vertices.empty()) return;
  std::vector<std::pair<int64_t, const graph::UserVertex*>> byTile;
  for (const auto& v : set.vertices) {
    if (!v.tile.valid())
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           "a vertex of type " + graph.vertexTypes()[v.type].name + " is on no tile", set.name,
                           "call setTileMapping for every vertex");
    byTile.push_back({int64_t(v.tile.value()), &v});
  }
  std::stable_sort(byTile.begin(), byTile.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  graph::PerTile cycles;
  for (std::size_t i = 0; i < byTile.size();) {
    TileLoad load;
    const int64_t tile = byTile[i].first;
    for (; i < byTile.size() && byTile[i].first == tile; ++i) {
      const auto& v = *byTile[i].second;
      const auto& type = graph.vertexTypes()[v.type];
      const auto& codelet = graph.codelets()[std::size_t(type.codelet)];
      const auto sizes = fieldSizes(graph, v);
      const int64_t c = v.cycles >= 0 ? v.cycles : codelet.cycles ? codelet.cycles(sizes) : 0;
      load.add(type, 1, c);
      cost.workerCycles += c;
      if (codelet.flops) cost.flops += codelet.flops(sizes);
      cost.edges += int64_t(v.edges.size());
      ++cost.vertices;
    }
    cycles.add({tile, tile + 1}, load.cycles(graph.machine().tile.workers));
  }
  cost.cycles.add(cycles);
}

} // namespace

std::map<std::string, int64_t> fieldSizes(const graph::Graph& graph, const graph::UserVertex& vertex) {
  const auto& codelet = graph.codelets()[std::size_t(graph.vertexTypes()[vertex.type].codelet)];
  std::map<std::string, int64_t> sizes;
  for (const auto& [field, tensor] : vertex.edges) sizes[codelet.fields[field].name] += tensor.numElements();
  for (const auto& [index, value] : vertex.state) sizes[codelet.state[index]] = int64_t(value);
  return sizes;
}

ComputeCost costOf(const graph::Graph& graph, const graph::ComputeSet& set) {
  ComputeCost cost;
  addRuns(graph, set, cost);
  addVertices(graph, set, cost);
  return cost;
}

} // namespace simcore::compile

#include "simcore/compile/compute_cost.h"

#include "reports/core/error.h"
#include "simcore/compile/stop_check.h"
#include "simcore/compile/vertex_times.h"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace simcore::compile {

using graph::Codelet;
using graph::PerTile;
using graph::TileRange;
using graph::UserVertex;

namespace {

// Sums shares by vertex type.
class Shares {
public:
  ComputeCost::TypeShare& of(uint32_t type) {
    const auto [it, added] = m_index.try_emplace(type, m_shares.size());
    if (added) {
      m_shares.push_back({});
      m_shares.back().type = type;
    }
    return m_shares[it->second];
  }
  std::vector<ComputeCost::TypeShare> sorted() {
    std::sort(m_shares.begin(), m_shares.end(), [](const auto& a, const auto& b) { return a.type < b.type; });
    return std::move(m_shares);
  }

private:
  std::unordered_map<uint32_t, std::size_t> m_index;
  std::vector<ComputeCost::TypeShare> m_shares;
};

// Library runs: whole ranges of tiles have the same runs, so each stretch between the ends of ranges is costed once.
void addRuns(const graph::Graph& graph, const graph::ComputeSet& set, ComputeCost& cost, Shares& shares) {
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
    auto& share = shares.of(run.type);
    share.count.add(run.tiles, run.perTile);
    share.fieldData.add(run.tiles, run.perTile * (run.fieldDataBytes + type.fieldDataBytes));
    share.lists.add(run.tiles, run.perTile * run.listBytes);
    if (run.constantBytes > 0) share.constants[run.constantBytes].add(run.tiles, run.perTile);
    share.cycles += n * run.cycles;
    share.flops += n * run.flops;
  }
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    cost.cycles.add(TileRange{edges[i], edges[i + 1]}, loads[i].cycles(graph.machine().tile.workers));
}

// For each tile, the index of its first vertex in a list of all vertices sorted by tile.
std::vector<uint32_t> firstOfEachTile(const graph::Graph& graph, const graph::ComputeSet& set) {
  std::vector<uint32_t> first(std::size_t(graph.machine().tiles()) + 1, 0);
  for (const UserVertex& v : set.vertices) {
    if (!v.tile.valid())
      throw reports::Error(reports::ErrorCode::InvalidInput,
                           "a vertex of type " + graph.vertexTypes()[v.type].name + " is on no tile",
                           "compute set " + graph.pathOf(set), "call setTileMapping for every vertex");
    ++first[v.tile.value() + 1];
  }
  for (std::size_t t = 1; t < first.size(); ++t) first[t] += first[t - 1];
  return first;
}

// Costs of user vertices, grouped by tile. They are computed in table order, which is the order in memory, because there may be
// millions of vertices with tiles in any order.
struct Priced {
  uint32_t type, listBytes;
  int64_t cycles;
};

std::vector<Priced> pricedByTile(const graph::Graph& graph, const graph::ComputeSet& set, std::vector<uint32_t> next,
                                 ComputeCost& cost, Shares& shares, const std::stop_token& stop) {
  std::vector<Priced> byTile(set.vertices.size());
  VertexEstimates estimates(graph);
  StopCheck check(stop);
  for (const UserVertex& v : set.vertices) {
    check();
    const auto index = uint32_t(&v - set.vertices.data());
    auto estimate = estimates.of(v);
    if (!set.flops.empty())
      if (const auto said = set.flops.find(index); said != set.flops.end()) estimate.flops = said->second;
    auto& share = shares.of(v.type);
    share.cycles += estimate.cycles;
    share.flops += estimate.flops;
    cost.workerCycles += estimate.cycles;
    cost.flops += estimate.flops;
    cost.edges += int64_t(v.edges.size());
    ++cost.vertices;
    byTile[next[v.tile.value()]++] = {v.type, uint32_t(graph.descriptorBytes(v)), estimate.cycles};
  }
  return byTile;
}

// Adds the vertices of one tile; returns its cycles.
int64_t addTile(const graph::Graph& graph, int64_t tile, std::span<const Priced> vertices, Shares& shares) {
  struct OnTile {
    int64_t count = 0, lists = 0;
  };
  std::map<uint32_t, OnTile> types;
  TileLoad load;
  for (const Priced& v : vertices) {
    load.add(graph.vertexTypes()[v.type], 1, v.cycles);
    OnTile& here = types[v.type];
    ++here.count;
    here.lists += v.listBytes;
  }
  const TileRange there{tile, tile + 1};
  for (const auto& [type, here] : types) {
    auto& share = shares.of(type);
    share.count.add(there, here.count);
    share.lists.add(there, here.lists);
    share.fieldData.add(there, here.count * graph.vertexTypes()[type].fieldDataBytes);
  }
  return load.cycles(graph.machine().tile.workers);
}

void addVertices(const graph::Graph& graph, const graph::ComputeSet& set, ComputeCost& cost, Shares& shares,
                 const std::stop_token& stop) {
  if (set.vertices.empty()) return;
  const std::vector<uint32_t> first = firstOfEachTile(graph, set);
  const std::vector<Priced> byTile = pricedByTile(graph, set, first, cost, shares, stop);
  PerTile cycles;
  for (std::size_t t = 0; t + 1 < first.size(); ++t)
    if (const std::size_t n = first[t + 1] - first[t]) {
      const auto tile = int64_t(t);
      cycles.add({tile, tile + 1}, addTile(graph, tile, std::span(byTile).subspan(first[t], n), shares));
    }
  cost.cycles.add(cycles);
}

} // namespace

ComputeCost costOf(const graph::Graph& graph, const graph::ComputeSet& set, const std::stop_token& stop) {
  ComputeCost cost;
  Shares shares;
  addRuns(graph, set, cost, shares);
  addVertices(graph, set, cost, shares, stop);
  cost.types = shares.sorted();
  return cost;
}

} // namespace simcore::compile

// Lowering of decisions in control programs: the predicate is sent to every tile that must branch.
#include "simcore/compile/step_builder.h"

#include <algorithm>

namespace simcore::compile {

using graph::ProgramNode;
using graph::Tensor;
using graph::TileRange;
using graph::Traffic;
using Kind = ProgramNode::Kind;

PerTile StepBuilder::tilesBelow(const ProgramNode& n, std::vector<bool>& functions) const {
  PerTile tiles;
  const auto add = [&](TileRange r) {
    if (!r.empty()) tiles.maxWith(PerTile::uniform(r, 1));
  };
  const auto addVariables = [&](const std::vector<VariableId>& list) {
    for (const VariableId v : list) add(m_graph.variable(v).tileRange());
  };
  switch (n.kind) {
  case Kind::Execute: {
    const graph::ComputeSet& set = m_graph.computeSet(n.computeSet);
    for (const auto& run : set.runs) add(run.tiles);
    TileRange users{0, 0};
    for (const auto& v : set.vertices) {
      if (!v.tile.valid()) continue;
      const int64_t tile = int64_t(v.tile.value());
      users = users.empty() ? TileRange{tile, tile + 1} : TileRange{std::min(users.begin, tile), std::max(users.end, tile + 1)};
    }
    add(users);
    break;
  }
  case Kind::Rearrange:
    addVariables(n.reads);
    addVariables(n.writes);
    break;
  case Kind::Copy:
  case Kind::StreamToTensor:
  case Kind::TensorToStream:
  case Kind::RemoteToTensor:
  case Kind::TensorToRemote:
    for (const Tensor* t : {&n.source, &n.destination})
      if (t->valid()) addVariables(t->variables());
    break;
  case Kind::Call: {
    const auto& body = m_graph.function(n.function).body;
    if (body && !functions[n.function.value]) {
      functions[n.function.value] = true;
      tiles.maxWith(tilesBelow(*body, functions));
    }
    break;
  }
  default: break;
  }
  for (const auto& c : n.children) tiles.maxWith(tilesBelow(*c, functions));
  return tiles;
}

namespace {

// Sends the predicate to one tile of every other IPU, and from there to the IPU's other tiles.
struct WayToOthers {
  Traffic links, beyond;
  int64_t others = 0;
};

WayToOthers wayToOthers(const TileSets& all, const std::vector<bool>& taking, int64_t home, int homeIpu) {
  constexpr int64_t kWord = 4;
  WayToOthers way;
  for (int set = 0; set < all.count(); ++set) {
    if (!taking[std::size_t(set)] || all.ipuOf(set) == homeIpu) continue;
    const TileRange told = all.tiles(set);
    const bool first = set % all.perIpu() == 0 || !taking[std::size_t(set - 1)]; // the first participating set of its IPU
    const int64_t gate = first ? told.begin : all.tiles(set - 1).begin;
    if (first) {
      ++way.others;
      way.links.linkBytesIn.add({gate, gate + 1}, kWord);
      way.links.linkFlows.push_back({homeIpu, all.ipuOf(set), kWord});
      way.links.linkPairs.add(graph::Pairs{{int32_t(gate), 1, int32_t(home), 1, 1, 0, kWord}});
    }
    const TileRange rest{first ? told.begin + 1 : told.begin, told.end};
    if (rest.empty()) continue;
    way.beyond.bytesIn.add(rest, kWord);
    way.beyond.messagesIn.add(rest, 1);
    way.beyond.pairs.add(graph::Pairs{{int32_t(rest.begin), int32_t(rest.size()), int32_t(gate), 1, 1, 0, kWord}});
    if (way.beyond.bytesOut.at(gate) == 0) {
      way.beyond.bytesOut.add({gate, gate + 1}, kWord);
      way.beyond.messagesOut.add({gate, gate + 1}, 1);
    }
  }
  return way;
}

} // namespace

bool StepBuilder::tellPredicate(const ProgramNode& n, const std::string& name) {
  const Tensor& predicate = n.source;
  const auto mapping = m_graph.getTileMapping(predicate);
  const auto holder = std::find_if(mapping.begin(), mapping.end(), [](const auto& list) { return !list.empty(); });
  if (holder == mapping.end()) return false; // unmapped, which is reported elsewhere
  const int64_t home = holder - mapping.begin();
  const PerTile where = PerTile::uniform({home, home + 1}, 1);
  std::vector<bool> functions(m_graph.functions().size(), false);
  const PerTile below = tilesBelow(n, functions);
  const std::vector<bool> sets = m_sets.touchedBy({&where, &below});
  const int homeIpu = int(home / m_graph.machine().tilesPerIpu);
  RemoteTouches everybody(m_graph, RemoteTouches::Direction::ToUser);
  for (int set = 0; set < m_sets.count(); ++set) {
    if (!sets[std::size_t(set)] || m_sets.ipuOf(set) != homeIpu) continue;
    const TileRange told = m_sets.tiles(set);
    for (int64_t tile = told.begin; tile < told.end; ++tile) everybody.add(predicate, tile);
  }
  Traffic near = everybody.traffic();
  WayToOthers way = wayToOthers(m_sets, sets, home, homeIpu);
  if (way.others > 0) {
    way.links.linkBytesOut.add({home, home + 1}, 4 * way.others);
    exchangeStep(name + "/predicate", n.context, way.links, {predicate.variables(), {}});
  }
  if (!way.beyond.empty()) near.add(way.beyond);
  if (!near.empty()) exchangeStep(name + "/predicate", n.context, near, {predicate.variables(), {}});
  return way.others > 0 || !near.empty();
}

} // namespace simcore::compile

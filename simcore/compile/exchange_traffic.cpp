#include "simcore/compile/exchange_traffic.h"

#include "simcore/compile/pair_sums.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace simcore::compile {

using graph::Traffic;
using reports::roundUp;

namespace {

// Calls f(begin, end, tile) for the elements [begin, end) of a region, in order, as stretches that are on one tile.
template<class F> void forEachPlace(const graph::Graph& graph, const graph::Region& r, F f) {
  const auto& v = graph.variable(r.variable);
  if (v.distribution.valid()) {
    const auto& d = v.distribution;
    // Cells of a linear layout have equal sizes: jumps to the first relevant one.
    const int64_t uniform = std::max<int64_t>(1, d.cell(0).volume());
    int64_t c = d.shape().size() == 1 ? r.begin / uniform : 0;
    for (int64_t begin = c * uniform; c < d.cells() && begin < r.end; ++c) {
      const int64_t end = begin + d.cell(c).volume();
      if (std::max(begin, r.begin) < std::min(end, r.end)) f(std::max(begin, r.begin), std::min(end, r.end), d.tileOf(c));
      begin = end;
    }
    return;
  }
  const auto& m = v.mapping;
  auto it = std::prev(
      std::upper_bound(m.begin(), m.end(), r.begin, [](int64_t x, const graph::MappingRun& run) { return x < run.begin; }));
  for (int64_t e = r.begin; e < r.end; ++it) {
    const int64_t end = std::next(it) == m.end() ? r.end : std::min(r.end, std::next(it)->begin);
    f(e, end, it->tile.valid() ? int64_t(it->tile.value()) : 0);
    e = end;
  }
}

struct Place {
  graph::Region region;
  int64_t tile;
};
std::vector<Place> placesOf(const graph::Graph& graph, const graph::Tensor& view) {
  std::vector<Place> places;
  for (const auto& r : view.contiguousRegions())
    forEachPlace(graph, r, [&](int64_t begin, int64_t end, int64_t tile) { places.push_back({{r.variable, begin, end}, tile}); });
  return places;
}

} // namespace

class RemoteTouches::Columns {
public:
  explicit Columns(const graph::Graph& graph)
      : m_machine(graph.machine()), m_in(std::size_t(graph.machine().tiles())), m_out(m_in), m_messagesIn(m_in),
        m_messagesOut(m_in), m_linkIn(m_in), m_linkOut(m_in), m_shared(m_in), m_latency(m_in),
        m_seen(std::size_t(graph.machine().ipus)) {}

  bool sameIpu(int64_t a, int64_t b) const { return a / m_machine.tilesPerIpu == b / m_machine.tilesPerIpu; }
  void receive(int64_t from, int64_t to, int64_t bytes) {
    if (!sameIpu(from, to)) {
      m_linkIn[std::size_t(to)] += bytes;
      m_linkOut[std::size_t(from)] += bytes;
      m_flows[{int(from / m_machine.tilesPerIpu), int(to / m_machine.tilesPerIpu)}] += bytes;
      m_linkPairs.add(from, to, bytes);
      return;
    }
    m_pairs.add(from, to, bytes);
    m_in[std::size_t(to)] += bytes;
    if (!firstBetween(from, to)) return;
    ++m_messagesIn[std::size_t(to)];
    ++m_messagesOut[std::size_t(from)];
    const int64_t perIpu = m_machine.tilesPerIpu,
                  latency = (m_machine.exchange.baseLatency + m_machine.distance(int(from % perIpu), int(to % perIpu))).value();
    m_latency[std::size_t(to)] = std::max(m_latency[std::size_t(to)], latency);
    m_latency[std::size_t(from)] = std::max(m_latency[std::size_t(from)], latency);
  }
  void send(int64_t from, int64_t bytes) { m_out[std::size_t(from)] += bytes; }
  void share(int64_t to, int64_t bytes) { m_shared[std::size_t(to)] += bytes; }

  Traffic traffic() {
    Traffic t;
    t.pairs = m_pairs.pairs();
    t.linkPairs = m_linkPairs.pairs();
    t.bytesIn = PerTile::fromDense(m_in);
    t.bytesOut = PerTile::fromDense(m_out);
    t.messagesIn = PerTile::fromDense(m_messagesIn);
    t.messagesOut = PerTile::fromDense(m_messagesOut);
    t.linkBytesIn = PerTile::fromDense(m_linkIn);
    t.linkBytesOut = PerTile::fromDense(m_linkOut);
    t.sharedIn = PerTile::fromDense(m_shared);
    t.latencyIn = PerTile::fromDense(m_latency);
    for (const auto& [ipus, bytes] : m_flows) t.linkFlows.push_back({ipus.first, ipus.second, bytes});
    return t;
  }

private:
  const arch::Machine& m_machine;
  std::vector<int64_t> m_in, m_out, m_messagesIn, m_messagesOut, m_linkIn, m_linkOut, m_shared, m_latency;
  // Whether this is the first exchange between two tiles of an IPU. One bit per pair, because there are millions of touches and
  // such a table stays in the cache.
  bool firstBetween(int64_t from, int64_t to) {
    const int64_t perIpu = m_machine.tilesPerIpu;
    auto& seen = m_seen[std::size_t(from / perIpu)];
    if (seen.empty()) seen.resize(std::size_t(perIpu * perIpu), false);
    const auto bit = std::size_t(from % perIpu * perIpu + to % perIpu);
    const bool first = !seen[bit];
    seen[bit] = true;
    return first;
  }
  std::vector<std::vector<bool>> m_seen; // by IPU
  std::map<std::pair<int, int>, int64_t> m_flows;
  PairSums m_pairs, m_linkPairs;
};

bool RemoteTouches::add(const graph::EdgeView& view, int64_t tile) {
  bool remote = false;
  view.forEachRegion([&](const graph::Region& r) {
    forEachPlace(m_graph, r, [&](int64_t begin, int64_t end, int64_t home) {
      if (home == tile) return;
      remote = true;
      if (!m_touches.empty()) { // merges adjacent elements of one vertex
        Touch& last = m_touches.back();
        if (last.variable == r.variable && last.user == uint32_t(tile) && last.home == uint32_t(home) && last.end == begin) {
          last.end = end;
          return;
        }
      }
      m_touches.push_back({r.variable, uint32_t(home), uint32_t(tile), begin, end});
    });
  });
  return remote;
}

// The elements that a tile accesses, without repetitions. Adjacent elements may have different home tiles, so overlaps are cut
// instead of joined.
void RemoteTouches::sortByUser() {
  const auto byUser = [](const Touch& a, const Touch& b) {
    return std::tie(a.variable, a.user, a.begin, a.end) < std::tie(b.variable, b.user, b.begin, b.end);
  };
  if (!std::is_sorted(m_touches.begin(), m_touches.end(), byUser)) tbb::parallel_sort(m_touches.begin(), m_touches.end(), byUser);
  std::size_t kept = 0;
  for (const Touch& t : m_touches) {
    Touch cut = t;
    if (kept) {
      const Touch& last = m_touches[kept - 1];
      if (last.variable == t.variable && last.user == t.user) cut.begin = std::max(cut.begin, last.end);
    }
    if (cut.begin < cut.end) m_touches[kept++] = cut;
  }
  m_touches.resize(kept);
}

int64_t RemoteTouches::bytesOf(const Touch& t, int64_t elements) const {
  return roundUp(elements * int64_t(numerics::deviceSize(m_graph.variable(t.variable).type)), 4);
}

// Elements that both tiles of a bus need. m_touches has the sorted list of one tile, followed by that of the other.
void RemoteTouches::addShared(Columns& columns) const {
  const std::size_t n = m_touches.size();
  const auto same = [&](std::size_t i, std::size_t first, uint32_t user) {
    return i < n && m_touches[i].variable == m_touches[first].variable && m_touches[i].user == user;
  };
  for (std::size_t i = 0; i < n;) {
    const uint32_t user = m_touches[i].user;
    std::size_t middle = i;
    while (same(middle, i, user)) ++middle;
    std::size_t end = middle;
    if (user % 2 == 0)
      while (same(end, i, user + 1)) ++end;
    for (std::size_t a = i, b = middle; a < middle && b < end;) {
      const Touch &x = m_touches[a], &y = m_touches[b];
      const int64_t both = std::min(x.end, y.end) - std::max(x.begin, y.begin);
      if (both > 0 && columns.sameIpu(x.home, x.user) && columns.sameIpu(x.user, y.user)) {
        columns.share(x.user, bytesOf(x, both));
        columns.share(y.user, bytesOf(y, both));
      }
      (x.end < y.end ? a : b)++;
    }
    i = middle;
  }
}

// An element leaves its tile once for all its receivers.
void RemoteTouches::addBroadcasts(Columns& columns) {
  tbb::parallel_sort(m_touches.begin(), m_touches.end(), [](const Touch& a, const Touch& b) {
    return std::tie(a.variable, a.begin, a.end) < std::tie(b.variable, b.begin, b.end);
  });
  const Touch* last = nullptr;
  int64_t sent = 0; // end of the part of this variable that is already sent
  for (const Touch& t : m_touches) {
    if (!last || last->variable != t.variable) sent = 0;
    last = &t;
    if (!columns.sameIpu(t.home, t.user)) continue;
    const int64_t begin = std::max(t.begin, sent);
    if (begin < t.end) columns.send(t.home, bytesOf(t, t.end - begin));
    sent = std::max(sent, t.end);
  }
}

Traffic RemoteTouches::traffic() {
  if (m_touches.empty()) return {}; // makes no columns, which have an entry for every tile
  sortByUser();
  const bool toUser = m_direction == Direction::ToUser;
  Columns columns(m_graph);
  for (const Touch& t : m_touches)
    columns.receive(toUser ? t.home : t.user, toUser ? t.user : t.home, bytesOf(t, t.end - t.begin));
  if (!toUser) { // only one user writes an element
    for (const Touch& t : m_touches)
      if (columns.sameIpu(t.home, t.user)) columns.send(t.user, bytesOf(t, t.end - t.begin));
    return columns.traffic();
  }
  addShared(columns);
  addBroadcasts(columns);
  return columns.traffic();
}

namespace {
class PieceCounter {
public:
  explicit PieceCounter(const graph::Graph& graph) : m_bytes(std::size_t(graph.machine().tiles()), 0), m_count(m_bytes) {}
  void add(int64_t tile, int64_t bytes) {
    m_bytes[std::size_t(tile)] += bytes;
    ++m_count[std::size_t(tile)];
  }
  Pieces pieces() const { return {PerTile::fromDense(m_bytes), PerTile::fromDense(m_count)}; }

private:
  std::vector<int64_t> m_bytes, m_count;
};
} // namespace

CopyParts copyParts(const graph::Graph& graph, const graph::Tensor& source, const graph::Tensor& destination) {
  const std::vector<Place> from = placesOf(graph, source), to = placesOf(graph, destination);
  RemoteTouches touches(graph, RemoteTouches::Direction::ToUser);
  PieceCounter local(graph), gather(graph), scatter(graph);
  const int64_t size = int64_t(numerics::deviceSize(source.elementType()));
  std::size_t i = 0, j = 0;
  int64_t usedFrom = 0, usedTo = 0;
  while (i < from.size() && j < to.size()) {
    const int64_t n = std::min(from[i].region.size() - usedFrom, to[j].region.size() - usedTo);
    const int64_t begin = from[i].region.begin + usedFrom, there = to[j].region.begin + usedTo;
    if (from[i].tile == to[j].tile) {
      local.add(to[j].tile, n * size);
    } else {
      touches.m_touches.push_back({from[i].region.variable, uint32_t(from[i].tile), uint32_t(to[j].tile), begin, begin + n});
      const bool wholeWords = n * size % 4 == 0;
      if (!wholeWords || begin * size % 4 != 0) gather.add(from[i].tile, n * size);
      if (!wholeWords || there * size % 4 != 0) scatter.add(to[j].tile, n * size);
    }
    if ((usedFrom += n) == from[i].region.size()) ++i, usedFrom = 0;
    if ((usedTo += n) == to[j].region.size()) ++j, usedTo = 0;
  }
  return {touches.traffic(), local.pieces(), gather.pieces(), scatter.pieces()};
}

} // namespace simcore::compile

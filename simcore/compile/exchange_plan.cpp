#include "simcore/compile/exchange_plan.h"

#include "simcore/compile/ladder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

namespace simcore::compile {

using graph::Traffic;
using reports::ceilDiv;
using reports::roundUp;

namespace {
// Combines several PerTile columns over the stretches where all are constant.
template<class F> PerTile zip(const std::vector<const PerTile*>& columns, F f) {
  std::vector<int64_t> ends;
  for (const PerTile* c : columns)
    for (const auto& r : c->runs()) {
      ends.push_back(r.tiles.begin);
      ends.push_back(r.tiles.end);
    }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  PerTile out;
  std::vector<int64_t> values(columns.size());
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) values[c] = columns[c]->at(ends[i]);
    out.add({ends[i], ends[i + 1]}, f(values));
  }
  return out;
}
} // namespace

PerTile internalExchangeCycles(const arch::Machine& machine, const Exchange& e) {
  const auto& fabric = machine.exchange;
  // Half the chip away on average: base latency and about half of the 61 cycles the distance can add.
  const int64_t latency = fabric.baseLatency.value() + 30;
  return zip({&e.bytesIn, &e.bytesOut, &e.messagesIn}, [&](const std::vector<int64_t>& v) {
    if (v[0] == 0 && v[1] == 0) return int64_t(0);
    const int64_t words = int64_t(std::ceil(double(std::max(v[0], v[1])) / fabric.bytesPerCycle));
    return words + std::max<int64_t>(0, v[2] - 1) * fabric.messageOverhead.value() + latency;
  });
}

PerTile exchangeCode(const Exchange& e) {
  return zip({&e.bytesIn, &e.bytesOut, &e.messagesIn, &e.messagesOut}, [](const std::vector<int64_t>& v) {
    if (v[0] == 0 && v[1] == 0) return int64_t(0);
    const int64_t sends = std::max<int64_t>(v[1] > 0, v[3]), receives = std::max<int64_t>(v[0] > 0, v[2]);
    const int64_t wordsPerSend = sends ? ceilDiv(v[1] / 4, sends) : 0;
    return 16 + sends * (4 + 4 * std::max<int64_t>(1, ceilDiv(wordsPerSend, 64))) * (v[1] > 0) + receives * 12 * (v[0] > 0);
  });
}

Cycles globalExchangeCycles(const arch::Machine& machine, const Exchange& exchange) {
  const LadderLoad load = ladderLoad(machine, flowsOf(machine, exchange));
  const double seconds =
      load.seconds + machine.link.setUpSeconds + double(std::max(0, load.hops - 1)) * machine.link.secondsPerHop;
  // A tile feeds the links through its own port.
  const double fromTile = double(std::max(exchange.bytesIn.max(), exchange.bytesOut.max())) / machine.exchange.bytesPerCycle;
  return Cycles(int64_t(std::ceil(std::max(seconds * machine.clockHz, fromTile))));
}

namespace {
// Walks two views element by element in runs that lie on one tile each on both sides.
struct Place {
  VariableId variable;
  int64_t begin;
  int64_t tile;
  int64_t size;
};

// The tiles of a view's elements, in order.
std::vector<Place> placesOf(const graph::Graph& graph, const graph::Tensor& view) {
  std::vector<Place> places;
  for (const auto& r : view.contiguousRegions()) {
    const auto& v = graph.variable(r.variable);
    if (v.distribution.valid()) {
      int64_t begin = 0;
      const auto& d = v.distribution;
      const int64_t uniform = std::max<int64_t>(1, d.cell(0).volume());
      for (int64_t c = 0; c < d.cells(); ++c) {
        if (d.shape().size() == 1) { // linear: jump to the first cell that matters
          if (c < r.begin / uniform) {
            begin = (c + 1) * uniform;
            continue;
          }
        }
        const int64_t end = begin + d.cell(c).volume();
        const int64_t b = std::max(begin, r.begin), e = std::min(end, r.end);
        if (b < e) places.push_back({r.variable, b, d.tileOf(c), e - b});
        begin = end;
        if (begin >= r.end) break;
      }
      continue;
    }
    const auto& m = v.mapping;
    auto it = std::prev(
        std::upper_bound(m.begin(), m.end(), r.begin, [](int64_t x, const graph::MappingRun& run) { return x < run.begin; }));
    for (int64_t e = r.begin; e < r.end; ++it) {
      const int64_t end = std::next(it) == m.end() ? r.end : std::min(r.end, std::next(it)->begin);
      places.push_back({r.variable, e, it->tile.valid() ? int64_t(it->tile.value()) : 0, end - e});
      e = end;
    }
  }
  return places;
}

// Gathers traffic by tile and turns it into runs once.
class TrafficCounter {
public:
  explicit TrafficCounter(const graph::Graph& graph)
      : m_tilesPerIpu(graph.machine().tilesPerIpu), m_in(std::size_t(graph.tiles())), m_out(m_in), m_messagesIn(m_in),
        m_messagesOut(m_in), m_local(m_in), m_linkIn(m_in), m_linkOut(m_in) {}
  // `fresh`: the word has not been sent before in this exchange (broadcast sends once).
  void move(int64_t from, int64_t to, int64_t bytes, bool fresh) {
    if (from == to) {
      m_local[std::size_t(to)] += bytes;
      return;
    }
    if (from / m_tilesPerIpu != to / m_tilesPerIpu) {
      m_linkIn[std::size_t(to)] += bytes;
      m_linkOut[std::size_t(from)] += bytes;
      m_flows[{int(from / m_tilesPerIpu), int(to / m_tilesPerIpu)}] += bytes;
      return;
    }
    m_in[std::size_t(to)] += bytes;
    if (fresh) m_out[std::size_t(from)] += bytes;
    if (m_pairs.insert(uint64_t(from) << 32 | uint64_t(to)).second) {
      ++m_messagesIn[std::size_t(to)];
      ++m_messagesOut[std::size_t(from)];
    }
  }
  Traffic result() {
    for (auto* column : {&m_in, &m_out, &m_linkIn, &m_linkOut})
      for (auto& b : *column) b = roundUp(b, 4);
    std::vector<graph::LinkFlow> flows;
    for (const auto& [ipus, bytes] : m_flows) flows.push_back({ipus.first, ipus.second, bytes});
    return {PerTile::fromDense(m_in),         PerTile::fromDense(m_out),
            PerTile::fromDense(m_messagesIn), PerTile::fromDense(m_messagesOut),
            PerTile::fromDense(m_local),      PerTile::fromDense(m_linkIn),
            PerTile::fromDense(m_linkOut),    std::move(flows)};
  }

private:
  int64_t m_tilesPerIpu;
  std::vector<int64_t> m_in, m_out, m_messagesIn, m_messagesOut, m_local, m_linkIn, m_linkOut;
  std::unordered_set<uint64_t> m_pairs;
  std::map<std::pair<int, int>, int64_t> m_flows;
};
} // namespace

Traffic copyTraffic(const graph::Graph& graph, const graph::Tensor& source, const graph::Tensor& destination) {
  const std::vector<Place> from = placesOf(graph, source), to = placesOf(graph, destination);
  TrafficCounter counter(graph);
  const int64_t size = int64_t(numerics::deviceSize(source.elementType()));
  std::size_t i = 0, j = 0;
  int64_t usedFrom = 0, usedTo = 0;
  while (i < from.size() && j < to.size()) {
    const int64_t n = std::min(from[i].size - usedFrom, to[j].size - usedTo);
    counter.move(from[i].tile, to[j].tile, n * size, true);
    if ((usedFrom += n) == from[i].size) ++i, usedFrom = 0;
    if ((usedTo += n) == to[j].size) ++j, usedTo = 0;
  }
  return counter.result();
}

void addEdgeTraffic(const graph::Graph& graph, const graph::Tensor& view, int64_t tile, bool input, Traffic& traffic) {
  const int64_t size = int64_t(numerics::deviceSize(view.elementType()));
  for (const Place& p : placesOf(graph, view)) {
    if (p.tile == tile) continue;
    const int64_t bytes = roundUp(p.size * size, 4);
    const int64_t from = input ? p.tile : tile, to = input ? tile : p.tile;
    if (from / graph.machine().tilesPerIpu != to / graph.machine().tilesPerIpu) {
      traffic.linkBytesIn.add({to, to + 1}, bytes);
      traffic.linkBytesOut.add({from, from + 1}, bytes);
      const int fromIpu = graph.machine().ipuOf(reports::TileId(std::size_t(from))),
                toIpu = graph.machine().ipuOf(reports::TileId(std::size_t(to)));
      auto& flows = traffic.linkFlows;
      const auto same =
          std::find_if(flows.begin(), flows.end(), [&](const graph::LinkFlow& f) { return f.from == fromIpu && f.to == toIpu; });
      if (same == flows.end())
        flows.push_back({fromIpu, toIpu, bytes});
      else
        same->bytes += bytes;
      continue;
    }
    traffic.bytesIn.add({to, to + 1}, bytes);
    traffic.bytesOut.add({from, from + 1}, bytes);
    traffic.messagesIn.add({to, to + 1}, 1);
    traffic.messagesOut.add({from, from + 1}, 1);
  }
}

} // namespace simcore::compile

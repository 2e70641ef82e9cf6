#include "reports/exchange/flow_chains.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace reports::exchange {

namespace {

using CountsOf = std::function<ImportCounts&(const FlowPoint&)>;

// The points of one flow id in order of time. An id may begin again before it ends: tasks that queue under one id leave the queue
// in the order in which they came. If ends are missing, that order would match every later end with a begin that is too early, so
// an end then belongs to the newest begin.
class FlowId {
public:
  FlowId(std::span<const FlowPoint> points, const CountsOf& countsOf, std::vector<Flow>& arrows, int64_t& number)
      : m_points(points), m_countsOf(countsOf), m_arrows(arrows), m_number(number) {
    const auto count = [&](FlowPoint::Kind kind) {
      return std::count_if(points.begin(), points.end(), [&](const FlowPoint& p) { return p.kind == kind; });
    };
    m_isQueue = count(FlowPoint::End) >= count(FlowPoint::Start);
  }
  void chain() {
    for (const FlowPoint& point : m_points) {
      switch (point.kind) {
      case FlowPoint::Start:
        ++m_number;
        m_open[m_number] = {&point, m_number, 0, false};
        m_bySteps.emplace(0, m_number);
        m_ended = {};
        break;
      case FlowPoint::Step: step(point); break;
      case FlowPoint::End: end(point); break;
      }
    }
    for (const auto& [number, chain] : m_open)
      if (!chain.hasEnd) m_countsOf(*chain.last).mend(Mend::FlowsWithoutEnd);
  }

private:
  // A flow that has not ended.
  struct Chain {
    const FlowPoint* last = nullptr;
    int64_t number = 0, steps = 0;
    bool hasEnd = false; // an end was seen after which the flow may continue
  };
  void step(const FlowPoint& point) {
    if (m_open.empty()) return m_countsOf(point).mend(Mend::FlowsWithoutStart);
    Chain& chain = m_isQueue ? m_open.at(m_bySteps.begin()->second) : m_open.rbegin()->second;
    arrow(chain, point);
    chain.last = &point;
    m_bySteps.erase({chain.steps, chain.number});
    m_bySteps.emplace(++chain.steps, chain.number);
  }
  void end(const FlowPoint& point) {
    if (point.stays && !m_open.empty()) {
      Chain& chain = m_open.rbegin()->second;
      if (!std::exchange(chain.hasEnd, true)) ++m_countsOf(point).flows;
      return arrow(chain, point);
    }
    if (!m_open.empty()) {
      const auto ending = m_isQueue ? m_open.begin() : std::prev(m_open.end());
      m_ended = ending->second;
      m_bySteps.erase({m_ended.steps, m_ended.number});
      m_open.erase(ending);
      ++m_countsOf(point).flows;
    }
    if (!m_ended.last) return m_countsOf(point).mend(Mend::FlowsWithoutStart);
    arrow(m_ended, point);
  }
  void arrow(const Chain& chain, const FlowPoint& to) {
    const FlowPoint& from = *chain.last;
    if (!from.bound || !to.bound) return m_countsOf(to).mend(Mend::FlowsWithoutSlice);
    m_arrows.push_back({from.place, to.place, from.time, to.time, from.name, from.channel, chain.number});
    ++m_countsOf(to).flowArrows;
  }

  std::span<const FlowPoint> m_points;
  const CountsOf& m_countsOf;
  std::vector<Flow>& m_arrows;
  int64_t& m_number; // of the flow that started last
  bool m_isQueue = false;
  std::map<int64_t, Chain> m_open; // by number, so in the order of their begins
  // (steps, number) of each open flow. In a queue the next step goes to the smallest.
  std::set<std::pair<int64_t, int64_t>> m_bySteps;
  Chain m_ended; // the chain that ended last; more ends may follow
};

} // namespace

std::vector<Flow> chainFlows(std::vector<FlowPoint>& points, const CountsOf& countsOf) {
  std::stable_sort(points.begin(), points.end(), [](const FlowPoint& a, const FlowPoint& b) {
    // At equal times a start comes before its continuation.
    return std::tie(a.flow, a.time, a.kind) < std::tie(b.flow, b.time, b.kind);
  });
  std::vector<Flow> arrows;
  int64_t number = -1;
  for (auto first = points.begin(); first != points.end();) {
    const auto last = std::find_if(first, points.end(), [&](const FlowPoint& p) { return p.flow != first->flow; });
    FlowId({first, last}, countsOf, arrows, number).chain();
    first = last;
  }
  std::stable_sort(arrows.begin(), arrows.end(), [](const Flow& a, const Flow& b) { return a.fromTick < b.fromTick; });
  return arrows;
}

} // namespace reports::exchange

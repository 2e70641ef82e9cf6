#include "reports/exchange/flow_chains.h"

#include <algorithm>

namespace reports::exchange {

std::vector<Flow> chainFlows(std::vector<FlowPoint>& points, const std::function<ImportCounts&(const FlowPoint&)>& countsOf) {
  std::stable_sort(points.begin(), points.end(), [](const FlowPoint& a, const FlowPoint& b) {
    // At one time a start comes before what continues it.
    return std::tie(a.flow, a.time, a.kind) < std::tie(b.flow, b.time, b.kind);
  });
  std::vector<Flow> arrows;
  int64_t number = -1; // of the flow that started last
  const auto arrow = [&](const FlowPoint& from, const FlowPoint& to) {
    if (from.bound && to.bound) {
      arrows.push_back({from.place, to.place, from.time, to.time, from.name, from.channel, number});
      ++countsOf(to).flowArrows;
    } else {
      countsOf(to).mend(Mend::FlowsWithoutSlice);
    }
  };
  const FlowPoint* open = nullptr;  // the last point of a flow that has not ended
  const FlowPoint* ended = nullptr; // the point before the end of the flow that ended last: it may end several times
  for (const FlowPoint& point : points) {
    if (open && open->flow != point.flow) {
      countsOf(*open).mend(Mend::FlowsWithoutEnd);
      open = nullptr;
    }
    if (ended && ended->flow != point.flow) ended = nullptr;
    switch (point.kind) {
    case FlowPoint::Start:
      if (open) countsOf(*open).mend(Mend::FlowsWithoutEnd);
      open = &point;
      ended = nullptr;
      ++number;
      break;
    case FlowPoint::Step:
      if (open) {
        arrow(*open, point);
        open = &point;
      } else {
        countsOf(point).mend(Mend::FlowsWithoutStart);
      }
      break;
    case FlowPoint::End:
      if (open) {
        arrow(*open, point);
        ++countsOf(point).flows;
        ended = open;
        open = nullptr;
      } else if (ended) {
        arrow(*ended, point);
      } else {
        countsOf(point).mend(Mend::FlowsWithoutStart);
      }
      break;
    }
  }
  if (open) countsOf(*open).mend(Mend::FlowsWithoutEnd);
  std::stable_sort(arrows.begin(), arrows.end(), [](const Flow& a, const Flow& b) { return a.fromTick < b.fromTick; });
  return arrows;
}

} // namespace reports::exchange

#include "reports/exchange/slice_layout.h"

#include <algorithm>
#include <limits>

namespace reports::exchange {

namespace {

bool liesBefore(const TraceSlice& a, const TraceSlice& b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.end != b.end) return a.end > b.end;
  return a.order < b.order;
}

// A slice that is open while the thread is swept.
struct OpenSlice {
  int64_t start, end;
  SlicePlace place;
};

// Binds flow points while the slices of their thread pass by in order.
class FlowBinder {
public:
  FlowBinder(std::vector<FlowPoint>& points, std::vector<std::size_t>& order) : m_points(points), m_order(order) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a].time < points[b].time; });
  }
  // All slices that start before `time` are in `open`: points before it find theirs now.
  void upTo(int64_t time, const std::vector<OpenSlice>& open) {
    for (; m_next < m_order.size() && m_points[m_order[m_next]].time < time; ++m_next) {
      FlowPoint& point = m_points[m_order[m_next]];
      if (point.nextSlice)
        m_waiting.push_back(m_order[m_next]);
      else
        bindAround(point, open);
    }
  }
  // A slice that starts takes those that wait for the next one.
  void started(const OpenSlice& slice) {
    for (const std::size_t p : m_waiting) bind(m_points[p], slice.place);
    m_waiting.clear();
    // Points at this very time that wait for the next slice mean this one.
    for (std::size_t i = m_next; i < m_order.size() && m_points[m_order[i]].time == slice.start; ++i)
      if (FlowPoint& point = m_points[m_order[i]]; point.nextSlice && !point.bound) bind(point, slice.place);
  }

private:
  static void bind(FlowPoint& point, const SlicePlace& place) {
    point.place = place;
    point.bound = true;
  }
  // The deepest slice that is open at the time; one that ends just then if there is no other.
  static void bindAround(FlowPoint& point, const std::vector<OpenSlice>& open) {
    if (point.bound) return;
    const OpenSlice* touching = nullptr;
    for (auto slice = open.rbegin(); slice != open.rend(); ++slice) {
      if (slice->start > point.time || slice->end < point.time) continue;
      if (slice->end > point.time) return bind(point, slice->place);
      if (!touching) touching = &*slice;
    }
    if (touching) bind(point, touching->place);
  }

  std::vector<FlowPoint>& m_points;
  std::vector<std::size_t>& m_order;
  std::vector<std::size_t> m_waiting;
  std::size_t m_next = 0;
};

} // namespace

int64_t layOutThread(std::vector<TraceSlice>& slices, int64_t shift, SliceTrackBuilder& builder,
                     std::vector<FlowPoint>& flowPoints, std::vector<std::size_t>& points) {
  if (!std::is_sorted(slices.begin(), slices.end(), liesBefore)) std::sort(slices.begin(), slices.end(), liesBefore);
  FlowBinder binder(flowPoints, points);
  std::vector<OpenSlice> open;   // one a depth; those with end <= the current start are over but may lie between open ones
  std::vector<int64_t> perDepth; // slices so far
  const int64_t track = builder.track().id;
  int64_t overlapping = 0;
  for (const TraceSlice& s : slices) {
    if (!points.empty()) binder.upTo(s.start, open);
    while (!open.empty() && open.back().end <= s.start) open.pop_back();
    if (!open.empty() && open.back().end < s.end) ++overlapping;
    const std::size_t depth = std::min(open.size(), std::size_t(kMaxDepth - 1));
    if (depth == perDepth.size()) perDepth.push_back(0);
    builder.add(int(depth), s.start + shift, s.end - s.start, s.name, s.channel, s.details);
    open.push_back({s.start, s.end, {track, int64_t(depth), perDepth[depth]++}});
    if (!points.empty()) binder.started(open.back());
  }
  binder.upTo(std::numeric_limits<int64_t>::max(), open);
  return overlapping;
}

void layOutAsync(std::vector<TraceSlice>& slices, int64_t shift, SliceTrackBuilder& builder) {
  struct Group {
    std::size_t first = 0, count = 0;
    int64_t start = 0, end = 0;
    std::size_t height = 0, lane = 0;
  };
  std::stable_sort(slices.begin(), slices.end(), [](const TraceSlice& a, const TraceSlice& b) { return a.order < b.order; });
  std::vector<Group> groups;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const TraceSlice& s = slices[i];
    if (i == 0 || slices[i - 1].order != s.order) groups.push_back({i, 0, s.start, s.end, 0, 0});
    Group& group = groups.back();
    ++group.count;
    group.start = std::min(group.start, s.start);
    group.end = std::max(group.end, s.end);
    group.height = std::max(group.height, std::size_t(s.level) + 1);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.start < b.start; });
  std::vector<int64_t> freeFrom; // by lane
  std::vector<std::pair<std::size_t, TraceSlice>> placed;
  for (Group& group : groups) {
    std::size_t run = 0;
    for (group.lane = 0; group.lane + run < freeFrom.size() && run < group.height;) {
      if (freeFrom[group.lane + run] <= group.start) {
        ++run;
      } else {
        group.lane += run + 1;
        run = 0;
      }
    }
    if (group.lane + group.height > freeFrom.size())
      freeFrom.resize(group.lane + group.height, std::numeric_limits<int64_t>::min());
    for (std::size_t lane = group.lane; lane < group.lane + group.height; ++lane) freeFrom[lane] = group.end;
    for (std::size_t i = group.first; i < group.first + group.count; ++i)
      placed.emplace_back(group.lane + slices[i].level, slices[i]);
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return liesBefore(a.second, b.second); });
  for (const auto& [lane, s] : placed)
    builder.add(int(std::min(lane, std::size_t(kMaxDepth - 1))), s.start + shift, s.end - s.start, s.name, s.channel, s.details);
}

} // namespace reports::exchange

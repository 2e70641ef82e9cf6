#include "reports/exchange/slice_layout.h"

#include "reports/exchange/lane_finder.h"

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>

namespace reports::exchange {

namespace {

bool liesBefore(const TraceSlice& a, const TraceSlice& b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.end != b.end) return a.end > b.end;
  return a.order < b.order;
}

// Finds lanes for slices that come in the order of liesBefore.
class Nesting {
public:
  // The lane of a slice; `most` if all are taken.
  std::size_t place(int64_t start, int64_t end, std::size_t most) {
    // Open slices that end before this one are removed: they do not contain this slice, and any later slice that they contain is
    // also inside this one. Then the top is the innermost slice around this one.
    for (m_overlaps = false; !m_around.empty() && m_around.back().end < end; m_around.pop_back())
      m_overlaps = m_overlaps || m_around.back().end > start;
    while (!m_around.empty() && m_around.back().end <= start) m_around.pop_back(); // only if this slice has no duration
    std::size_t lane = m_around.empty() ? 0 : m_around.back().lane + 1;
    while (lane < m_freeFrom.size() && m_freeFrom[lane] > start) ++lane;
    if (lane >= most) return most;
    if (lane >= m_freeFrom.size()) m_freeFrom.resize(lane + 1, std::numeric_limits<int64_t>::min());
    m_freeFrom[lane] = end;
    if (!m_around.empty() && m_around.back().end == end) m_around.pop_back();
    m_around.push_back({end, lane});
    return lane;
  }
  bool overlaps() const { return m_overlaps; } // of the last placed slice

private:
  struct Around {
    int64_t end;
    std::size_t lane;
  };
  std::vector<Around> m_around; // by start; each ends before the one below it in the stack
  std::vector<int64_t> m_freeFrom;
  bool m_overlaps = false;
};

// A slice that is open during the sweep over the thread.
struct OpenSlice {
  int64_t start, end;
  SlicePlace place;
};

// Binds flow points while the slices of their thread are processed in order.
class FlowBinder {
public:
  FlowBinder(std::vector<FlowPoint>& points, const std::vector<std::size_t>& own) : m_points(points) {
    for (const std::size_t p : own) {
      if (points[p].slice) m_named.emplace(*points[p].slice, p);
      if (points[p].instant < 0 && !points[p].slice) m_order.push_back(p);
    }
    std::stable_sort(m_order.begin(), m_order.end(),
                     [&](std::size_t a, std::size_t b) { return points[a].time < points[b].time; });
  }
  bool isEmpty() const { return m_order.empty() && m_named.empty(); }
  // Binds the flow points before `time`; call it when all slices that start before `time` are known.
  void upTo(int64_t time) {
    for (; m_next < m_order.size() && m_points[m_order[m_next]].time < time; ++m_next) {
      FlowPoint& point = m_points[m_order[m_next]];
      if (point.nextSlice)
        m_waiting.push_back(m_order[m_next]);
      else
        bindAround(point);
    }
  }
  // Binds the points that wait for the next slice to this new slice.
  void started(const OpenSlice& slice, uint32_t order) {
    for (auto [named, end] = m_named.equal_range(order); named != end; ++named) bind(m_points[named->second], slice.place);
    while (!m_open.empty() && m_open.back().end < slice.start) m_open.pop_back();
    if (m_open.size() >= m_tidyAt) { // removes ended slices, which may be between open ones
      std::erase_if(m_open, [&](const OpenSlice& open) { return open.end < slice.start; });
      m_tidyAt = std::max(kLeastTidy, 2 * m_open.size());
    }
    m_open.push_back(slice);
    for (const std::size_t p : m_waiting) bind(m_points[p], slice.place);
    m_waiting.clear();
    // Points at exactly this time that wait for the next slice bind to this one.
    for (std::size_t i = m_next; i < m_order.size() && m_points[m_order[i]].time == slice.start; ++i)
      if (FlowPoint& point = m_points[m_order[i]]; point.nextSlice && !point.bound) bind(point, slice.place);
  }

private:
  static void bind(FlowPoint& point, const SlicePlace& place) {
    point.place = place;
    point.bound = true;
  }
  // Binds the point to the deepest slice that is open at its time; if none is open, to a slice that ends at that time.
  void bindAround(FlowPoint& point) const {
    if (point.bound) return;
    const OpenSlice* touching = nullptr;
    for (auto slice = m_open.rbegin(); slice != m_open.rend(); ++slice) {
      if (slice->start > point.time || slice->end < point.time) continue;
      if (point.endsSlice && slice->end == point.time) return bind(point, slice->place);
      if (slice->end > point.time) return bind(point, slice->place);
      if (!touching) touching = &*slice;
    }
    if (touching) bind(point, touching->place);
  }

  static constexpr std::size_t kLeastTidy = 64;
  std::vector<FlowPoint>& m_points;
  std::vector<std::size_t> m_order;
  std::unordered_multimap<uint32_t, std::size_t> m_named; // points by the order of their slice
  std::vector<std::size_t> m_waiting;
  std::vector<OpenSlice> m_open; // in order of their starts
  std::size_t m_next = 0, m_tidyAt = kLeastTidy;
};

} // namespace

LayoutCounts layOutThread(std::vector<TraceSlice>& slices, int64_t shift, SliceTrackBuilder& builder,
                          std::vector<FlowPoint>& flowPoints, const std::vector<std::size_t>& points) {
  if (!std::is_sorted(slices.begin(), slices.end(), liesBefore)) std::sort(slices.begin(), slices.end(), liesBefore);
  FlowBinder binder(flowPoints, points);
  Nesting nesting;
  std::vector<int64_t> perLane; // slices so far
  const int64_t track = builder.track().id;
  LayoutCounts counts;
  for (const TraceSlice& s : slices) {
    if (!binder.isEmpty()) binder.upTo(s.start);
    std::size_t lane = nesting.place(s.start, s.end, std::size_t(kMaxDepth));
    counts.overlapping += nesting.overlaps();
    if (lane == std::size_t(kMaxDepth)) --lane, ++counts.cut;
    if (lane >= perLane.size()) perLane.resize(lane + 1);
    builder.add(int(lane), s.start + shift, s.end - s.start, s.name, s.channel, s.details);
    const int64_t number = perLane[lane]++;
    if (!binder.isEmpty()) binder.started({s.start, s.end, {track, int64_t(lane), number}}, s.order);
  }
  binder.upTo(std::numeric_limits<int64_t>::max());
  return counts;
}

void groupAsync(std::vector<TraceSlice>& slices, std::size_t first, uint32_t& group) {
  const std::span own(slices.begin() + std::ptrdiff_t(first), slices.end());
  if (!std::is_sorted(own.begin(), own.end(), liesBefore)) std::sort(own.begin(), own.end(), liesBefore);
  Nesting nesting;
  int64_t end = std::numeric_limits<int64_t>::min(); // of the group
  for (TraceSlice& s : own) {
    if (s.start >= end) nesting = {}, ++group;
    end = std::max(end, s.end);
    s.order = group;
    s.level = uint16_t(nesting.place(s.start, s.end, std::size_t(kMaxDepth) - 1));
  }
}

LayoutCounts layOutAsync(std::vector<TraceSlice>& slices, int64_t shift, SliceTrackBuilder& builder) {
  struct Group {
    std::size_t first = 0, count = 0;
    int64_t start = 0, end = 0;
    int height = 0;
  };
  std::stable_sort(slices.begin(), slices.end(), [](const TraceSlice& a, const TraceSlice& b) { return a.order < b.order; });
  std::vector<Group> groups;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const TraceSlice& s = slices[i];
    if (i == 0 || slices[i - 1].order != s.order) groups.push_back({i, 0, s.start, s.end, 0});
    Group& group = groups.back();
    ++group.count;
    group.start = std::min(group.start, s.start);
    group.end = std::max(group.end, s.end);
    group.height = std::max(group.height, int(s.level) + 1);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.start < b.start; });
  LaneFinder lanes(kMaxDepth);
  LayoutCounts counts;
  std::vector<std::pair<int, TraceSlice>> placed;
  placed.reserve(slices.size());
  for (const Group& group : groups) {
    int lane = lanes.take(group.start, group.end, group.height);
    const bool isCut = lane < 0;
    if (isCut) lane = kMaxDepth - group.height;
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      placed.emplace_back(lane + slices[i].level, slices[i]);
      counts.cut += isCut || slices[i].level == kMaxDepth - 1;
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return liesBefore(a.second, b.second); });
  for (const auto& [lane, s] : placed) builder.add(lane, s.start + shift, s.end - s.start, s.name, s.channel, s.details);
  return counts;
}

} // namespace reports::exchange

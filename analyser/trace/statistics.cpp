// Statistics by name of slices.h. A slice's own ticks are its duration minus those of slices directly inside it, so each depth is
// processed together with the depths above it.
#include "analyser/session/debug_contexts.h"
#include "analyser/trace/slices.h"

#include <cmath>
#include <unordered_set>

namespace analyser::trace {

namespace {

// The slices of one depth, queried at ascending ticks.
class Enclosing {
public:
  Enclosing(Slices& slices, TrackId track, int depth, TickRange range, std::stop_token stop)
      : m_slices(slices), m_track(track), m_depth(depth), m_range(range), m_stop(std::move(stop)) {}

  // The slice that covers the tick; valid until the next call.
  const Slice* around(int64_t tick) {
    for (;;) {
      while (m_at < m_batch.size() && m_batch[m_at].ticks.end <= tick) ++m_at;
      if (m_at < m_batch.size()) return m_batch[m_at].ticks.begin <= tick ? &m_batch[m_at] : nullptr;
      if (m_isAll || tick >= m_range.end) return nullptr;
      m_batch = m_slices.slices(m_track, m_depth, {tick, m_range.end}, m_limit, m_stop);
      m_at = 0;
      m_isAll = m_batch.size() < m_limit;
      m_limit *= 2; // a batch may contain only slices without duration
    }
  }

private:
  Slices& m_slices;
  TrackId m_track;
  int m_depth;
  TickRange m_range;
  std::stop_token m_stop;
  std::vector<Slice> m_batch;
  std::size_t m_at = 0, m_limit = 4096;
  bool m_isAll = false;
};

class Counter {
public:
  Counter(Slices& slices, TickRange range, const std::string& contains, std::stop_token stop, bool byCategory,
          const SliceCount& countOf, const Weigh& weigh)
      : m_slices(slices), m_range(range), m_contains(contains), m_stop(std::move(stop)), m_byCategory(byCategory),
        m_countOf(countOf), m_weigh(weigh) {}

  void countTrack(const Track& track) {
    m_namesAbove.clear();
    for (int depth = 0; depth < track.depths; ++depth) countDepth(track.id, depth);
  }

  std::vector<NameStatistics> take() {
    std::vector<NameStatistics> list;
    for (auto& [name, statistics] : m_byName) {
      statistics.text = m_slices.session().text(statistics.name);
      statistics.self = std::clamp<int64_t>(statistics.self, 0, statistics.total); // overlapping slices may be subtracted twice
      list.push_back(std::move(statistics));
    }
    std::sort(list.begin(), list.end(), [](const NameStatistics& a, const NameStatistics& b) {
      return std::tie(b.total, a.text, a.category) < std::tie(a.total, b.text, b.category);
    });
    return list;
  }

private:
  void countDepth(TrackId track, int depth) {
    std::vector<Enclosing> above; // by depth
    for (int d = 0; d < depth; ++d) above.emplace_back(m_slices, track, d, m_range, m_stop);
    std::unordered_set<uint32_t> names;
    m_slices.forEach(track, depth, m_range, m_stop, [&](const Slice& s) {
      const TickRange inside = s.ticks.clippedTo(m_range);
      const int64_t ticks = std::max<int64_t>(0, inside.size());
      if (s.duration() > 0 && ticks == 0) return; // the slice only touches the range
      const int64_t at = std::max(s.ticks.begin, m_range.begin);
      const int64_t weight = m_weigh ? m_weigh(track, inside) : ticks;
      for (int d = depth - 1; d >= 0 && ticks > 0; --d) // a step may be directly in the run, without an operation between them
        // A slice above that overlaps this one without containing it is not its parent: the parent is at an outer depth.
        if (const Slice* parent = above[std::size_t(d)].around(at); parent && s.ticks.end <= parent->ticks.end) {
          subtract(*parent, weight);
          break;
        }
      bool isNested = false;
      for (int d = 0; d < depth && !isNested; ++d) {
        if (!m_namesAbove[std::size_t(d)].contains(s.name.value())) continue; // rare: most names occur at one depth
        const Slice* around = above[std::size_t(d)].around(at);
        isNested = around && keyOf(*around) == keyOf(s) && s.ticks.end <= around->ticks.end;
      }
      names.insert(s.name.value());
      count(track, depth, s, ticks, weight, isNested);
    });
    m_namesAbove.push_back(std::move(names));
  }

  void count(TrackId track, int depth, const Slice& s, int64_t ticks, int64_t weight, bool isNested) {
    if (!isWanted(s.name)) return;
    NameStatistics& n = m_byName[keyOf(s)];
    if (n.count == 0) {
      n.name = s.name;
      n.category = s.category;
    }
    if (n.count == 0 || s.ticks.begin < n.first.begin) {
      n.firstTrack = track;
      n.firstDepth = depth;
      n.first = s.ticks;
    }
    // A slice of several executions counts them in proportion to its part inside the range.
    const int64_t all = m_countOf ? std::max<int64_t>(1, m_countOf(s)) : 1;
    const double inside = s.duration() > 0 ? double(ticks) / double(s.duration()) : 1;
    const int64_t times = std::max<int64_t>(1, std::llround(double(all) * inside)), one = all > 1 ? s.duration() / all : weight;
    n.count += times;
    n.sum += weight;
    if (!isNested) n.total += weight;
    n.self += weight;
    // Each end of the range cuts one execution.
    const int64_t ends = (s.ticks.begin < m_range.begin ? 1 : 0) + (s.ticks.end > m_range.end ? 1 : 0);
    const int64_t cut = std::min(times, ends), whole = times - cut;
    n.cut += cut;
    if (whole == 0) return;
    n.min = n.whole() == whole ? one : std::min(n.min, one);
    n.max = std::max(n.max, one);
    n.wholeSum += cut > 0 ? whole * one : weight;
  }

  void subtract(const Slice& parent, int64_t ticks) {
    if (const auto it = m_byName.find(keyOf(parent)); it != m_byName.end()) it->second.self -= ticks;
  }

  uint64_t keyOf(const Slice& s) const { return (m_byCategory ? uint64_t(s.category) << 32 : 0) | s.name.value(); }

  bool isWanted(StringId name) {
    if (m_contains.empty()) return true;
    const auto [it, isNew] = m_wanted.try_emplace(name.value(), false);
    if (isNew) it->second = containsText(m_slices.session().text(name), m_contains);
    return it->second;
  }

  Slices& m_slices;
  TickRange m_range;
  const std::string& m_contains;
  std::stop_token m_stop;
  bool m_byCategory;
  const SliceCount& m_countOf;
  const Weigh& m_weigh;
  std::vector<std::unordered_set<uint32_t>> m_namesAbove; // of the track, by depth
  std::unordered_map<uint64_t, NameStatistics> m_byName;
  std::unordered_map<uint32_t, bool> m_wanted;
};

} // namespace

std::vector<NameStatistics> statisticsByName(Slices& slices, const std::vector<TrackId>& tracks, TickRange range,
                                             const std::string& contains, std::stop_token stop, bool byCategory,
                                             const SliceCount& countOf, const Weigh& weigh) {
  Counter counter(slices, range, contains, std::move(stop), byCategory, countOf, weigh);
  for (const Track& track : slices.tracks())
    if (tracks.empty() || std::find(tracks.begin(), tracks.end(), track.id) != tracks.end()) counter.countTrack(track);
  return counter.take();
}

} // namespace analyser::trace

// Statistics by name of slices.h. What a slice takes itself is its duration less what the depth below it covers, so the depths
// of a track are walked in pairs.
#include "analyser/session/debug_contexts.h"
#include "analyser/trace/slices.h"

namespace analyser::trace {

namespace {

// The slices of one depth, asked for by ticks that only rise.
class Enclosing {
public:
  Enclosing(Slices& slices, TrackId track, int depth, TickRange range, std::stop_token stop)
      : m_slices(slices), m_track(track), m_depth(depth), m_range(range), m_stop(std::move(stop)) {}

  // The slice that covers the tick, if it starts in the range; valid until the next call.
  const Slice* around(int64_t tick) {
    for (;;) {
      while (m_at < m_batch.size() && m_batch[m_at].ticks.end <= tick) ++m_at;
      if (m_at < m_batch.size()) {
        const Slice& s = m_batch[m_at];
        return s.ticks.begin <= tick && s.ticks.begin >= m_range.begin ? &s : nullptr;
      }
      if (m_isAll || tick >= m_range.end) return nullptr;
      m_batch = m_slices.slices(m_track, m_depth, {tick, m_range.end}, m_limit, m_stop);
      m_at = 0;
      m_isAll = m_batch.size() < m_limit;
      m_limit *= 2; // slices without duration may fill a batch and bring it no further
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
  Counter(Slices& slices, TickRange range, const std::string& contains, std::stop_token stop)
      : m_slices(slices), m_range(range), m_contains(contains), m_stop(std::move(stop)) {}

  void countDepth(TrackId track, int depth) {
    std::optional<Enclosing> above;
    if (depth > 0) above.emplace(m_slices, track, depth - 1, m_range, m_stop);
    m_slices.forEach(track, depth, m_range, m_stop, [&](const Slice& s) {
      if (above && s.duration() > 0)
        if (const Slice* parent = above->around(s.ticks.begin)) subtract(*parent, s.ticks.clippedTo(m_range).size());
      if (s.ticks.begin >= m_range.begin) count(track, depth, s);
    });
    // A slice that reaches beyond the range has more below it there.
    const auto last =
        depth > 0 && m_range.end > m_range.begin ? m_slices.sliceAt(track, depth - 1, m_range.end - 1) : std::nullopt;
    if (last && last->ticks.begin >= m_range.begin && last->ticks.end > m_range.end)
      subtract(*last, m_slices.busyTicks(track, depth, {m_range.end, last->ticks.end}, m_stop).total());
  }

  std::vector<NameStatistics> take() {
    std::vector<NameStatistics> list;
    for (auto& [name, statistics] : m_byName) {
      statistics.text = m_slices.session().text(statistics.name);
      list.push_back(std::move(statistics));
    }
    std::sort(list.begin(), list.end(), [](const NameStatistics& a, const NameStatistics& b) {
      return std::tie(b.total, a.text) < std::tie(a.total, b.text);
    });
    return list;
  }

private:
  void count(TrackId track, int depth, const Slice& s) {
    if (!isWanted(s.name)) return;
    NameStatistics& n = m_byName[s.name.value()];
    if (n.count == 0) {
      n.name = s.name;
      n.category = s.category;
      n.min = s.duration();
    }
    if (n.count == 0 || s.ticks.begin < n.first.begin) {
      n.firstTrack = track;
      n.firstDepth = depth;
      n.first = s.ticks;
    }
    ++n.count;
    n.total += s.duration();
    n.self += s.duration();
    n.min = std::min(n.min, s.duration());
    n.max = std::max(n.max, s.duration());
  }

  void subtract(const Slice& parent, int64_t ticks) {
    if (const auto it = m_byName.find(parent.name.value()); it != m_byName.end()) it->second.self -= ticks;
  }

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
  std::unordered_map<uint32_t, NameStatistics> m_byName;
  std::unordered_map<uint32_t, bool> m_wanted;
};

} // namespace

std::vector<NameStatistics> statisticsByName(Slices& slices, const std::vector<TrackId>& tracks, TickRange range,
                                             const std::string& contains, std::stop_token stop) {
  Counter counter(slices, range, contains, std::move(stop));
  for (const Track& track : slices.tracks())
    if (tracks.empty() || std::find(tracks.begin(), tracks.end(), track.id) != tracks.end())
      for (int depth = 0; depth < track.depths; ++depth) counter.countDepth(track.id, depth);
  return counter.take();
}

} // namespace analyser::trace

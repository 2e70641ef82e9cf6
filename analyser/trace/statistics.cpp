// Statistics by name of slices.h.
#include "analyser/trace/slices.h"

#include "analyser/session/debug_contexts.h"

namespace analyser::trace {

std::vector<NameStatistics> statisticsByName(Slices& slices, const std::vector<TrackId>& tracks, TickRange range,
                                             const std::string& contains, std::stop_token stop) {
  Session& session = slices.session();
  std::unordered_map<uint32_t, NameStatistics> byName;
  std::unordered_map<uint32_t, bool> wanted;
  for (const Track& track : slices.tracks()) {
    if (!tracks.empty() && std::find(tracks.begin(), tracks.end(), track.id) == tracks.end()) continue;
    for (int depth = 0; depth < track.depths; ++depth) {
      slices.forEach(track.id, depth, range, stop, [&](const Slice& s) {
        if (s.ticks.begin < range.begin) return;
        const uint32_t name = s.name.value();
        if (!contains.empty()) {
          const auto [it, isNew] = wanted.try_emplace(name, false);
          if (isNew) it->second = containsText(session.text(s.name), contains);
          if (!it->second) return;
        }
        NameStatistics& n = byName[name];
        if (n.count == 0) {
          n.name = s.name;
          n.category = s.category;
          n.min = s.duration();
        }
        if (n.count == 0 || s.ticks.begin < n.first.begin) {
          n.firstTrack = track.id;
          n.firstDepth = depth;
          n.first = s.ticks;
        }
        ++n.count;
        n.total += s.duration();
        n.min = std::min(n.min, s.duration());
        n.max = std::max(n.max, s.duration());
      });
    }
  }
  std::vector<NameStatistics> list;
  for (auto& [name, statistics] : byName) {
    statistics.text = session.text(statistics.name);
    list.push_back(std::move(statistics));
  }
  std::sort(list.begin(), list.end(), [](const NameStatistics& a, const NameStatistics& b) {
    return std::tie(b.total, a.text) < std::tie(a.total, b.text);
  });
  return list;
}

} // namespace analyser::trace

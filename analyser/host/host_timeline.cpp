#include "analyser/host/host_timeline.h"

#include "reports/sqlite/reader.h"

namespace analyser::host {

namespace {

// Ticks of each slice that slices one level deeper cover. Both lists ascend and are disjoint.
std::vector<int64_t> coveredBy(const std::vector<trace::Slice>& outer, const std::vector<trace::Slice>& inner) {
  std::vector<int64_t> covered(outer.size());
  std::size_t first = 0;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    while (first < inner.size() && inner[first].ticks.end <= outer[i].ticks.begin) ++first;
    for (std::size_t k = first; k < inner.size() && inner[k].ticks.begin < outer[i].ticks.end; ++k)
      covered[i] += inner[k].ticks.clippedTo(outer[i].ticks).size();
  }
  return covered;
}

} // namespace

HostTimeline::HostTimeline(Session& session) : m_session(session), m_slices(session, "host_thread") {
  std::unordered_map<int64_t, std::size_t> processes;
  session.reader().forEach<reports::HostProcessRow>({}, {}, [&](reports::HostProcessRow& row) {
    processes.emplace(row.id, m_processes.size());
    m_processes.push_back({std::move(row.name), std::move(row.provenance), row.pid, {}});
  });
  session.reader().forEach<reports::HostThreadRow>({}, {}, [&](reports::HostThreadRow& row) {
    auto it = processes.find(row.processId);
    if (it == processes.end()) { // a thread of nobody is shown, not dropped
      it = processes.emplace(row.processId, m_processes.size()).first;
      m_processes.push_back({"process " + std::to_string(row.processId), "unknown", std::nullopt, {}});
    }
    Thread thread;
    thread.name = std::move(row.name);
    thread.track = trace::TrackId(static_cast<std::size_t>(row.trackId));
    if (const trace::Track* track = m_slices.track(thread.track)) {
      thread.depths = track->depths;
      thread.slices = track->slices;
    }
    m_processes[it->second].threads.push_back(std::move(thread));
  });
  session.reader().forEach<reports::ChannelRow>({}, {}, [&](reports::ChannelRow& row) {
    if (row.id < 0 || row.id > 255) return;
    if (m_channels.size() <= static_cast<std::size_t>(row.id)) m_channels.resize(static_cast<std::size_t>(row.id) + 1);
    m_channels[static_cast<std::size_t>(row.id)] = std::move(row.name);
  });
}

const std::string& HostTimeline::channel(uint8_t id) const {
  static const std::string kNone = "(no channel)";
  return id < m_channels.size() && !m_channels[id].empty() ? m_channels[id] : kNone;
}

std::vector<LabelStatistics> HostTimeline::statistics(trace::TickRange range, std::stop_token stop) {
  std::unordered_map<uint32_t, LabelStatistics> byName;
  for (const trace::Track& track : m_slices.tracks()) {
    std::vector<trace::Slice> inner;
    for (int depth = track.depths - 1; depth >= 0; --depth) {
      auto outer = m_slices.slices(track.id, depth, range, std::numeric_limits<std::size_t>::max(), stop);
      const auto covered = coveredBy(outer, inner);
      for (std::size_t i = 0; i < outer.size(); ++i) {
        const trace::Slice& s = outer[i];
        if (s.ticks.begin < range.begin) continue;
        LabelStatistics& l = byName[s.name.value()];
        const Nanoseconds duration(s.duration());
        if (l.count == 0) {
          l.label = m_session.text(s.name);
          l.channel = channel(s.category);
          l.min = duration;
        }
        ++l.count;
        l.total += duration;
        l.self += duration - Nanoseconds(covered[i]);
        l.min = std::min(l.min, duration);
        l.max = std::max(l.max, duration);
      }
      inner = std::move(outer);
    }
  }
  std::vector<LabelStatistics> list;
  list.reserve(byName.size());
  for (auto& [name, statistics] : byName) list.push_back(std::move(statistics));
  std::sort(list.begin(), list.end(), [](const LabelStatistics& a, const LabelStatistics& b) {
    return std::tie(b.total, a.label) < std::tie(a.total, b.label);
  });
  return list;
}

Sentence HostTimeline::verdict(std::stop_token stop) {
  const auto all = range();
  if (all.empty()) return "This report holds no host timeline.";
  std::size_t threads = 0;
  for (const Process& p : m_processes) threads += p.threads.size();
  auto list = statistics(all, std::move(stop));
  const auto longest = std::max_element(list.begin(), list.end(),
                                        [](const LabelStatistics& a, const LabelStatistics& b) { return a.self < b.self; });
  Sentence verdict;
  verdict << Nanoseconds(all.size()) << " on " << static_cast<int64_t>(threads) << (threads == 1 ? " thread" : " threads");
  if (longest != list.end() && longest->self > Nanoseconds())
    verdict << "; the largest part is “" << Sentence::Name{longest->label} << "” itself: " << longest->self << " ("
            << Sentence::Percent{double(longest->self.value()) / double(all.size())} << ", " << longest->count
            << (longest->count == 1 ? " time)" : " times)");
  return verdict << ".";
}

} // namespace analyser::host

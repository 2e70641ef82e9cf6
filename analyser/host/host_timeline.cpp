#include "analyser/host/host_timeline.h"

#include "reports/sqlite/reader.h"

namespace analyser::host {

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
  std::vector<LabelStatistics> list;
  for (const trace::NameStatistics& s : trace::statisticsByName(m_slices, {}, range, {}, std::move(stop)))
    list.push_back({s.text, channel(s.category), s.count, Nanoseconds(s.total), Nanoseconds(s.self), Nanoseconds(s.min),
                    Nanoseconds(s.max), Nanoseconds(s.sum)});
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

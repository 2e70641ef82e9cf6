#include "analyser/host/host_timeline.h"

#include "reports/sqlite/reader.h"

#include <cmath>
#include <limits>

namespace analyser::host {

namespace {

// The smallest duration that at least `share` of all do not exceed (nearest rank).
Nanoseconds quantile(std::vector<int64_t>& durations, double share) {
  if (durations.empty()) return {};
  const auto rank = static_cast<std::size_t>(std::ceil(share * double(durations.size())));
  const auto at = durations.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(durations.begin(), at, durations.end());
  return Nanoseconds(*at);
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
    thread.kind = row.kind.value_or("");
    thread.tid = row.tid;
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
  readExtent();
}

void HostTimeline::readExtent() {
  m_range = m_slices.range();
  bool any = !m_range.empty();
  const auto see = [&](int64_t first, int64_t last) {
    m_range = any ? trace::TickRange{std::min(m_range.begin, first), std::max(m_range.end, last + 1)}
                  : trace::TickRange{first, last + 1};
    any = true;
  };
  std::unordered_map<uint32_t, int64_t> instants;
  reports::Statement chunks(
      m_session.reader().connection(),
      "SELECT track_id, sum(instants), min(first_tick), max(last_tick) FROM instant_chunk GROUP BY track_id");
  while (chunks.step()) {
    int64_t track = 0, count = 0, first = 0, last = 0;
    chunks.read(0, track, "instant_chunk.track_id");
    chunks.read(1, count, "instant_chunk.instants");
    chunks.read(2, first, "instant_chunk.first_tick");
    chunks.read(3, last, "instant_chunk.last_tick");
    instants[static_cast<uint32_t>(track)] = count;
    see(first, last);
  }
  for (Process& process : m_processes)
    for (Thread& thread : process.threads)
      if (const auto found = instants.find(thread.track.value()); found != instants.end()) thread.instants = found->second;
  m_session.reader().forEach<reports::CounterSeriesRow>({}, {}, [&](const reports::CounterSeriesRow& row) {
    if (row.samples <= 0) return;
    m_series.push_back(row.id);
    see(row.firstTick, row.lastTick);
  });
  m_flows = m_session.reader().count<reports::FlowChunkRow>();
}

const std::string& HostTimeline::channel(uint8_t id) const {
  static const std::string kNone = "(no channel)";
  return id < m_channels.size() && !m_channels[id].empty() ? m_channels[id] : kNone;
}

std::vector<LabelStatistics> HostTimeline::statistics(trace::TickRange range, std::stop_token stop) {
  std::unordered_map<uint32_t, std::vector<int64_t>> durations;
  for (const trace::Track& track : m_slices.tracks())
    for (int depth = 0; depth < track.depths; ++depth)
      m_slices.forEach(track.id, depth, range, stop,
                       [&](const trace::Slice& s) { durations[s.name.value()].push_back(s.duration()); });
  std::vector<LabelStatistics> list;
  for (const trace::NameStatistics& s : trace::statisticsByName(m_slices, {}, range, {}, stop)) {
    auto& own = durations[s.name.value()];
    list.push_back({s.text, channel(s.category), s.count, Nanoseconds(s.total), Nanoseconds(s.self), Nanoseconds(s.min),
                    Nanoseconds(s.max), Nanoseconds(s.sum), quantile(own, 0.5), quantile(own, 0.95)});
  }
  return list;
}

Sentence HostTimeline::verdict(std::stop_token stop) {
  const auto all = range();
  if (all.empty()) return "This report holds no host timeline.";
  std::size_t threads = 0;
  for (const Process& p : m_processes)
    threads +=
        static_cast<std::size_t>(std::count_if(p.threads.begin(), p.threads.end(), [](const Thread& t) { return t.slices > 0; }));
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

std::vector<reports::Instant> HostTimeline::instants(trace::TrackId track, trace::TickRange range, std::size_t limit,
                                                     std::stop_token stop) {
  std::vector<reports::Instant> found;
  m_session.reader().forEach<reports::InstantChunkRow>(
      "track_id = ? AND first_tick < ? AND last_tick >= ? ORDER BY chunk", {int64_t(track.value()), range.end, range.begin},
      [&](const reports::InstantChunkRow& chunk) {
        if (found.size() >= limit) return;
        for (const reports::Instant& instant : reports::decodeInstants(chunk))
          if (range.contains(instant.tick) && found.size() < limit) found.push_back(instant);
      },
      stop);
  return found;
}

std::string HostTimeline::details(int64_t id) {
  if (id < 0) return {};
  const auto chunk = m_session.reader().first<reports::DetailsChunkRow>(
      "first_id = (SELECT max(first_id) FROM details_chunk WHERE first_id <= ?)", {id});
  if (!chunk || id >= chunk->firstId + chunk->texts) return {};
  return reports::decodeDetails(*chunk)[static_cast<std::size_t>(id - chunk->firstId)];
}

std::vector<reports::Flow> HostTimeline::flowsOf(trace::TrackId track, const trace::Slice& slice, std::size_t limit,
                                                 std::stop_token stop) {
  std::vector<reports::Flow> found;
  const reports::SlicePlace place{int64_t(track.value()), slice.depth, slice.number};
  m_session.reader().forEach<reports::FlowChunkRow>(
      "first_tick <= ? AND last_tick >= ?", {slice.ticks.end, slice.ticks.begin},
      [&](const reports::FlowChunkRow& chunk) {
        for (const reports::Flow& flow : reports::decodeFlows(chunk))
          if ((flow.from == place || flow.to == place) && found.size() < limit) found.push_back(flow);
      },
      stop);
  return found;
}

} // namespace analyser::host

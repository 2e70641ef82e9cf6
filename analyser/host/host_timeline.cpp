#include "analyser/host/host_timeline.h"

#include "analyser/host/waits.h"
#include "reports/rows/slice_track.h"
#include "reports/sqlite/reader.h"

#include <cmath>
#include <limits>
#include <utility>

namespace analyser::host {

namespace {

// The smallest duration that is at least as long as this share of all durations (nearest rank).
int64_t quantile(std::vector<int64_t>& durations, double share) {
  if (durations.empty()) return {};
  const auto rank = static_cast<std::size_t>(std::ceil(share * double(durations.size())));
  const auto at = durations.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(durations.begin(), at, durations.end());
  return *at;
}

bool isWholeIn(const trace::Slice& slice, trace::TickRange range) {
  return range.begin <= slice.ticks.begin && slice.ticks.end <= range.end;
}

} // namespace

bool isWorkOfNoThread(const Thread& t) {
  return t.kind == "async" || t.kind == "object" || t.kind == "frame" || t.kind == "cpu" || t.kind == "state" ||
         t.kind == "total";
}

HostTimeline::HostTimeline(Session& session) : m_session(session), m_slices(session, "host_thread"), m_device(session) {
  std::unordered_map<int64_t, std::size_t> processes;
  session.reader().forEach<reports::HostProcessRow>({}, {}, [&](reports::HostProcessRow& row) {
    processes.emplace(row.id, m_processes.size());
    m_processes.push_back({row.id, std::move(row.name), std::move(row.provenance), row.pid, {}, row.clock.value_or("")});
  });
  session.reader().forEach<reports::HostThreadRow>({}, {}, [&](reports::HostThreadRow& row) {
    auto it = processes.find(row.processId);
    if (it == processes.end()) { // a thread of an unknown process is shown, not dropped
      it = processes.emplace(row.processId, m_processes.size()).first;
      m_processes.push_back({row.processId, "process " + std::to_string(row.processId), "unknown", std::nullopt, {}, {}});
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
    const trace::TrackId id(static_cast<std::size_t>(track));
    const trace::Track* own = m_slices.track(id);
    const int64_t shift = own ? own->shift : 0;
    instants[id.value()] = count;
    see(first + shift, last + shift);
  }
  for (Process& process : m_processes)
    for (Thread& thread : process.threads)
      if (const auto found = instants.find(thread.track.value()); found != instants.end()) thread.instants = found->second;
  m_series.clear();
  m_session.reader().forEach<reports::CounterSeriesRow>({}, {}, [&](const reports::CounterSeriesRow& row) {
    if (row.samples <= 0) return;
    const int64_t shift = offset(row.processId).value();
    m_series.push_back(row.id);
    see(row.firstTick + shift, row.lastTick + shift);
  });
  m_session.reader().forEach<reports::HeatmapRow>({}, {}, [&](const reports::HeatmapRow& row) {
    const int64_t shift = offset(row.processId).value();
    if (row.samples > 0) see(row.firstTick + shift, row.lastTick + shift);
  });
  for (const LinkedRun& run : m_device.runs()) see(run.host.begin, run.host.end - 1);
  m_flows = m_session.reader().count<reports::FlowChunkRow>();
}

void HostTimeline::setOffset(int64_t process, Nanoseconds offset) {
  const int64_t before = std::exchange(m_offsets[process], offset.value());
  for (const Process& p : m_processes) {
    if (p.id != process) continue;
    for (const Thread& thread : p.threads) {
      m_slices.setShift(thread.track, offset.value());
      m_device.shift(thread.track, offset.value() - before);
    }
  }
  readExtent();
}

Nanoseconds HostTimeline::offset(std::optional<int64_t> process) const {
  const auto found = process ? m_offsets.find(*process) : m_offsets.end();
  return Nanoseconds(found == m_offsets.end() ? 0 : found->second);
}

const std::string& HostTimeline::channel(uint8_t id) const {
  static const std::string kNone = "(no channel)";
  return id < m_channels.size() && !m_channels[id].empty() ? m_channels[id] : kNone;
}

std::vector<LabelStatistics> HostTimeline::statistics(trace::TickRange range, std::stop_token stop) {
  return statisticsOf(countedTracks(), range, {}, stop);
}

std::vector<LabelStatistics> HostTimeline::statistics(trace::TickRange range, const std::vector<MeasuredValue>& values,
                                                      std::size_t chosen, std::stop_token stop) {
  return statisticsOf(countedTracks(values, chosen), range, values.at(chosen), stop);
}

std::vector<LabelStatistics> HostTimeline::statisticsOf(const std::vector<trace::TrackId>& counted, trace::TickRange range,
                                                        const MeasuredValue& value, const std::stop_token& stop) {
  const auto key = [](StringId name, uint8_t category) { return uint64_t(category) << 32 | name.value(); };
  std::unordered_map<uint64_t, std::vector<int64_t>> durations;
  for (const trace::TrackId track : counted)
    for (int depth = 0; depth < m_slices.track(track)->depths; ++depth)
      m_slices.forEach(track, depth, range, stop, [&](const trace::Slice& s) {
        if (isWholeIn(s, range)) durations[key(s.name, s.category)].push_back(value.amountIn(track, s.ticks));
      });
  std::vector<LabelStatistics> list;
  if (counted.empty()) return list; // no track would mean all of them
  for (const trace::NameStatistics& s : trace::statisticsByName(m_slices, counted, range, {}, stop, true, {}, value.weigh())) {
    auto& own = durations[key(s.name, s.category)];
    list.push_back({s.text, channel(s.category), s.name, s.category, s.count, s.cut, value.amount(s.total), value.amount(s.self),
                    value.amount(s.min), value.amount(s.max), value.amount(s.sum), value.amount(s.wholeSum), quantile(own, 0.5),
                    quantile(own, 0.95)});
  }
  return list;
}

std::vector<int64_t> HostTimeline::durations(trace::TickRange range, StringId label, uint8_t channel, std::size_t limit,
                                             const MeasuredValue& value, std::stop_token stop) {
  std::vector<int64_t> durations;
  for (const trace::TrackId track : countedTracks())
    for (int depth = 0; depth < m_slices.track(track)->depths; ++depth)
      m_slices.forEach(track, depth, range, stop, [&](const trace::Slice& s) {
        if (s.name != label || s.category != channel || durations.size() >= limit) return;
        if (isWholeIn(s, range)) durations.push_back(value.amountIn(track, s.ticks));
      });
  return durations;
}

Sentence HostTimeline::verdict(std::stop_token stop) { return verdict(valuesOf(*this, stop), 0, stop); }

Sentence HostTimeline::verdict(const std::vector<MeasuredValue>& values, std::size_t chosen, std::stop_token stop) {
  const auto all = range();
  if (all.empty()) return "This report holds no host timeline.";
  if (const auto waits = waitsOf(*this, stop)) return wordsOf(*waits);
  std::vector<trace::TrackId> cpus; // if only CPUs have slices, the trace has only events of the scheduler
  for (const Process& p : m_processes)
    for (const Thread& t : p.threads)
      if (t.kind == "cpu" && t.slices > 0) cpus.push_back(t.track);
  const MeasuredValue& value = values.at(chosen);
  if (!value.tracks.empty() || cpus.empty()) return verdictOf(*this, value, values.size() == 1, stop);
  Sentence words;
  words << Nanoseconds(all.size()) << " on " << static_cast<int64_t>(cpus.size()) << (cpus.size() == 1 ? " CPU" : " CPUs");
  if (const auto running = trace::statisticsByName(m_slices, cpus, all, {}, stop); !running.empty())
    words << "; “" << Sentence::Name{running.front().text} << "” runs longest: " << Nanoseconds(running.front().sum);
  return words << ".";
}

std::vector<reports::Instant> HostTimeline::instants(trace::TrackId track, trace::TickRange range, std::size_t limit,
                                                     std::stop_token stop) {
  std::vector<reports::Instant> found;
  const trace::Track* own = m_slices.track(track);
  const int64_t shift = own ? own->shift : 0;
  range = {range.begin - shift, range.end - shift};
  m_session.reader().forEach<reports::InstantChunkRow>(
      "track_id = ? AND first_tick < ? AND last_tick >= ? ORDER BY chunk", {int64_t(track.value()), range.end, range.begin},
      [&](const reports::InstantChunkRow& chunk) {
        if (found.size() >= limit) return;
        for (reports::Instant instant : reports::decodeInstants(chunk)) {
          if (!range.contains(instant.tick) || found.size() >= limit) continue;
          instant.tick += shift;
          found.push_back(instant);
        }
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
  const auto shiftOf = [this](int64_t id) {
    const trace::Track* t = m_slices.track(trace::TrackId(static_cast<std::size_t>(id)));
    return t ? t->shift : 0;
  };
  const int64_t own = shiftOf(place.track);
  m_session.reader().forEach<reports::FlowChunkRow>(
      "first_tick <= ? AND last_tick >= ?", {slice.ticks.end - own, slice.ticks.begin - own},
      [&](const reports::FlowChunkRow& chunk) {
        for (reports::Flow flow : reports::decodeFlows(chunk)) {
          if ((flow.from != place && flow.to != place) || found.size() >= limit) continue;
          flow.fromTick += shiftOf(flow.from.track), flow.toTick += shiftOf(flow.to.track);
          found.push_back(flow);
        }
      },
      stop);
  return found;
}

std::optional<trace::Slice> HostTimeline::flowEnd(const reports::SlicePlace& place, int64_t tick, std::stop_token stop) {
  const trace::TrackId track(static_cast<std::size_t>(place.track));
  if (!place.isInstant) return m_slices.sliceAt(track, static_cast<int>(place.depth), tick);
  std::optional<trace::Slice> found;
  m_session.reader().forEach<reports::InstantChunkRow>(
      "track_id = ? AND chunk = ?", {place.track, place.slice / reports::kSlicesPerChunk},
      [&](const reports::InstantChunkRow& chunk) {
        const auto instants = reports::decodeInstants(chunk);
        const auto at = static_cast<std::size_t>(place.slice % reports::kSlicesPerChunk);
        if (at >= instants.size()) return;
        trace::Slice slice;
        slice.ticks = {tick, tick};
        slice.name = StringId(instants[at].name);
        slice.category = instants[at].category;
        slice.ref = instants[at].details;
        found = slice;
      },
      std::move(stop));
  return found;
}

std::vector<trace::TrackId> HostTimeline::countedTracks() const {
  std::vector<trace::TrackId> tracks;
  for (const trace::Track& track : m_slices.tracks()) tracks.push_back(track.id);
  for (const Process& process : m_processes)
    for (const Thread& thread : process.threads)
      if (thread.kind == "total") std::erase(tracks, thread.track);
  return tracks;
}

std::vector<trace::TrackId> HostTimeline::countedTracks(const std::vector<MeasuredValue>& values, std::size_t chosen) const {
  const auto own = [](const MeasuredValue& value) {
    std::vector<trace::TrackId> tracks;
    for (const trace::CalledTrack& track : value.tracks) tracks.push_back(track.id);
    return tracks;
  };
  if (!values.at(chosen).isPlainTime()) return own(values[chosen]);
  std::vector<trace::TrackId> tracks = countedTracks();
  for (const MeasuredValue& value : values)
    if (!value.isPlainTime())
      for (const trace::TrackId track : own(value)) std::erase(tracks, track);
  return tracks;
}

bool HostTimeline::isSampled() const {
  int64_t samples = 0, others = 0;
  for (const Process& process : m_processes)
    for (const Thread& thread : process.threads)
      if (thread.kind == "sample")
        samples += thread.slices;
      else if (process.clock != "none" && !isWorkOfNoThread(thread)) // a file without a clock is a profile, even with exact calls
        others += thread.slices;
  return samples > 0 && others == 0;
}

} // namespace analyser::host

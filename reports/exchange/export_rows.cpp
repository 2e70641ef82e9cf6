#include "reports/exchange/export_rows.h"

#include "reports/core/categories.h"
#include "reports/rows/slice_decode.h"
#include "reports/rows/slice_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace reports::exchange {

namespace {
constexpr int64_t kDevicePid = 1'000'000'000; // beyond any pid of Linux
constexpr double kFarCycle = 1e18;
} // namespace

ExportRows::ExportRows(Reader& reader, const ExportRequest& request) : m_reader(reader), m_request(request) {
  reader.forEach<ChannelRow>({}, {}, [&](ChannelRow& row) { m_channels[row.id] = row.name; });
  if (reader.machine()) m_nanosecondsPerCycle = 1e9 / double(reader.machine()->clockHz);
  if (request.host) addHost();
  if (request.device) addDevice();
  const bool hasValues = request.host && reader.count<CounterSeriesRow>() + reader.count<HeatmapRow>() > 0;
  if (m_tracks.empty() && !hasValues)
    throw Error(ErrorCode::InvalidInput,
                request.host && request.device ? "the report holds no timeline"
                : request.host                 ? "the report holds no host timeline"
                                               : "the report holds no device timeline",
                reader.path().string(), "choose other contents with --what");
}

ExportCounts ExportRows::checked(const ExportCounts& counts) const {
  if (!m_request.range || counts.slices + counts.instants + counts.counterSamples + counts.samples > 0) return counts;
  TickRange all; // range of all slices; empty: there are none
  for (const Place& place : m_tracks) {
    if (place.row.slices <= 0) continue;
    const bool isDevice = place.header.isDevice;
    const TickRange own{isDevice ? deviceTime(place.row.firstTick) : place.row.firstTick,
                        isDevice ? deviceTime(place.row.endTick) : place.row.endTick};
    all = all.empty() ? own : TickRange{std::min(all.begin, own.begin), std::max(all.end, own.end)};
  }
  throw Error(ErrorCode::InvalidInput, "the range contains nothing to export", m_reader.path().string(),
              all.empty()
                  ? "leave out --range"
                  : fmt::format("choose a range within {:.3f}ms..{:.3f}ms: times are on the host's clock, because the host "
                                "starts the device's runs",
                                double(all.begin) / 1e6, double(all.end) / 1e6));
}

void ExportRows::addHost() {
  std::map<int64_t, HostProcessRow> processes;
  std::set<int64_t> used;
  m_reader.forEach<HostProcessRow>({}, {}, [&](HostProcessRow& row) {
    int64_t pid = row.pid.value_or(-1);
    while (pid < 0 || used.contains(pid)) pid = pid < 0 ? kDevicePid / 2 + row.id : pid + kDevicePid / 4;
    used.insert(pid);
    m_pids[row.id] = pid;
    if (processes.empty()) {
      m_base = row.clockStartNanoseconds.value_or(0);
      if (row.startUnixNanoseconds) m_unixOffset = *row.startUnixNanoseconds - m_base;
    }
    processes[row.id] = std::move(row);
  });
  std::set<std::pair<int64_t, int64_t>> threads;
  m_reader.forEach<HostThreadRow>({}, {}, [&](HostThreadRow& row) {
    const auto track = m_reader.first<TrackRow>("id = ?", {row.trackId});
    if (!track) return;
    Place place{*track, {}};
    ExportTrack& t = place.header;
    t.trackId = row.trackId;
    t.pid = processPid(row.processId);
    t.tid = row.tid.value_or(kDevicePid / 2 + row.id);
    while (!threads.emplace(t.pid, t.tid).second) t.tid += kDevicePid / 4;
    if (const auto process = processes.find(row.processId); process != processes.end()) t.processName = process->second.name;
    t.name = row.name;
    t.kind = row.kind.value_or("");
    t.sortOrder = row.sortOrder;
    m_tracks.push_back(std::move(place));
  });
}

void ExportRows::addDevice() {
  std::map<int64_t, RunRow> runs;
  m_reader.forEach<RunRow>({}, {}, [&](RunRow& row) { runs[row.id] = row; });
  m_reader.forEach<RunLinkRow>({}, {}, [&](const RunLinkRow& link) {
    const auto run = runs.find(link.runId);
    if (run == runs.end()) return;
    m_links.push_back({run->second.startCycle, run->second.startCycle + run->second.cycles, double(link.startTick)});
    Flow flow;
    flow.from = {link.trackId, link.depth, link.slice};
    flow.to.slice = link.runId; // runs are the outermost slices of an IPU
    flow.fromTick = flow.toTick = link.startTick;
    m_runFlows.push_back(flow);
  });
  std::sort(m_links.begin(), m_links.end(), [](const Link& a, const Link& b) { return a.startCycle < b.startCycle; });
  m_reader.forEach<TrackRow>("kind IN ('ipu', 'ipu_io') ORDER BY id", {}, [&](TrackRow& row) {
    Place place{row, {}};
    ExportTrack& t = place.header;
    t.trackId = row.id;
    t.pid = kDevicePid;
    t.tid = row.id;
    t.processName = "device";
    t.name = row.name;
    t.kind = "device";
    t.isDevice = true;
    m_tracks.push_back(std::move(place));
  });
}

// The host time of a device cycle. Runs without a link follow the last linked run, at the machine's clock.
int64_t ExportRows::deviceTime(int64_t cycle) const {
  auto link = std::upper_bound(m_links.begin(), m_links.end(), cycle, [](int64_t c, const Link& l) { return c < l.startCycle; });
  if (link != m_links.begin()) --link;
  const double origin = link == m_links.end() ? 0 : double(link->startCycle), start = link == m_links.end() ? 0 : link->startTick;
  return std::llround(start + (double(cycle) - origin) * m_nanosecondsPerCycle);
}

int64_t ExportRows::cycleAt(int64_t time) const {
  auto link =
      std::upper_bound(m_links.begin(), m_links.end(), double(time), [](double t, const Link& l) { return t < l.startTick; });
  // Between two runs, host time jumps to the begin of the later one.
  const double next = link == m_links.end() || link == m_links.begin() ? kFarCycle : double(link->startCycle);
  if (link != m_links.begin()) --link;
  const double origin = link == m_links.end() ? 0 : double(link->startCycle), start = link == m_links.end() ? 0 : link->startTick;
  return std::llround(std::clamp(origin + (double(time) - start) / m_nanosecondsPerCycle, -kFarCycle, next));
}

void ExportRows::forEachProcess(const std::function<void(int64_t pid, const std::string& name)>& f) {
  if (!m_request.host) return;
  m_reader.forEach<HostProcessRow>({}, {}, [&](const HostProcessRow& row) { f(processPid(row.id), row.name); });
}

int64_t ExportRows::processPid(std::optional<int64_t> processId) const {
  const auto found = m_pids.find(processId.value_or(-1));
  return found == m_pids.end() ? kDevicePid / 2 : found->second;
}

bool ExportRows::isInRange(int64_t start, int64_t end) const {
  return !m_request.range || (start < m_request.range->end && (end > m_request.range->begin || start >= m_request.range->begin));
}

ExportTrack ExportRows::track(int64_t i, std::stop_token stop) {
  const Place& place = m_tracks[std::size_t(i)];
  ExportTrack track = place.header;
  const TickRange cycles = m_request.range ? TickRange{cycleAt(m_request.range->begin), cycleAt(m_request.range->end)}
                                           : TickRange{INT64_MIN, INT64_MAX};
  m_reader.forEach<SliceChunkRow>(
      "track_id = ? ORDER BY depth, chunk", {track.trackId},
      [&](const SliceChunkRow& chunk) {
        const SliceColumns columns = decodeChunk(chunk);
        for (std::size_t s = 0; s < columns.size(); ++s) {
          ExportSlice slice;
          slice.cycles = track.isDevice ? columns.durations[s] : 0;
          slice.cyclesInRange = track.isDevice ? TickRange{columns.starts[s], columns.end(s)}.clippedTo(cycles).size() : 0;
          slice.start = track.isDevice ? deviceTime(columns.starts[s]) : columns.starts[s];
          slice.end = track.isDevice ? deviceTime(columns.end(s)) : columns.end(s);
          slice.number = chunk.chunk * kSlicesPerChunk + int64_t(s);
          slice.name = columns.names[s];
          slice.ref = columns.refs[s];
          slice.depth = int(chunk.depth);
          slice.category = columns.categories[s];
          if (isInRange(slice.start, slice.end)) track.slices.push_back(slice);
        }
      },
      stop);
  std::stable_sort(track.slices.begin(), track.slices.end(), [](const ExportSlice& a, const ExportSlice& b) {
    return std::tie(a.start, a.depth) < std::tie(b.start, b.depth);
  });
  m_reader.forEach<InstantChunkRow>(
      "track_id = ? ORDER BY chunk", {track.trackId},
      [&](const InstantChunkRow& chunk) {
        int64_t number = chunk.chunk * kSlicesPerChunk;
        for (const Instant& instant : decodeInstants(chunk)) {
          if (isInRange(instant.tick, instant.tick)) track.instants.push_back(instant), track.instantNumbers.push_back(number);
          ++number;
        }
      },
      stop);
  return track;
}

std::string ExportRows::channel(uint8_t id) const {
  const auto found = m_channels.find(id);
  return found == m_channels.end() || found->second == "(no category)" ? std::string() : found->second;
}

std::string ExportRows::category(const ExportTrack& track, uint8_t id) const {
  if (!track.isDevice) return channel(id);
  return id < kActivityCount ? std::string(activityName(Activity(id))) : std::string();
}

std::string ExportRows::details(int32_t id) {
  if (id < 0) return {};
  if (!m_detailsRow || id < m_detailsRow->firstId || id >= m_detailsRow->firstId + m_detailsRow->texts) {
    m_detailsRow = m_reader.first<DetailsChunkRow>("first_id = (SELECT max(first_id) FROM details_chunk WHERE first_id <= ?)",
                                                   {int64_t(id)});
    m_details = m_detailsRow ? decodeDetails(*m_detailsRow) : std::vector<std::string>();
  }
  const int64_t place = m_detailsRow ? id - m_detailsRow->firstId : -1;
  return place >= 0 && place < int64_t(m_details.size()) ? m_details[std::size_t(place)] : std::string();
}

std::vector<ExportRows::ExportFlow> ExportRows::flows() {
  std::vector<ExportFlow> flows;
  std::unordered_map<int64_t, std::size_t> places; // in `flows`, by number
  const auto add = [&](const Flow& arrow, bool startsRun) {
    if (!isInRange(arrow.fromTick, arrow.toTick)) return;
    const auto leaves = [&](const ExportFlow::Point& p) { return p.slice == arrow.from && p.tick == arrow.fromTick; };
    if (const auto found = arrow.number ? places.find(*arrow.number) : places.end(); found != places.end()) {
      // An arrow starts at the flow's last point or, if the flow has several ends, at the point where the previous arrow starts.
      auto& points = flows[found->second].points;
      const std::size_t last = points.size() - 1;
      for (const std::size_t from : {last, points[last].from}) {
        if (!leaves(points[from])) continue;
        points[from].goesOn = true;
        points.push_back({arrow.to, arrow.toTick, from, false});
        return;
      }
    }
    if (arrow.number) places[*arrow.number] = flows.size();
    flows.push_back(
        {{{arrow.from, arrow.fromTick, 0, true}, {arrow.to, arrow.toTick, 0, false}}, arrow.name, arrow.category, startsRun});
  };
  if (m_request.host)
    m_reader.forEach<FlowChunkRow>({}, {}, [&](const FlowChunkRow& chunk) {
      for (const Flow& flow : decodeFlows(chunk)) add(flow, false);
    });
  const auto device =
      std::find_if(m_tracks.begin(), m_tracks.end(), [](const Place& p) { return p.header.isDevice && p.row.kind == "ipu"; });
  if (!m_request.host || !m_request.device || device == m_tracks.end()) return flows;
  for (Flow flow : m_runFlows) { // on one IPU, because a run begins on all of them
    flow.to.track = device->header.trackId;
    add(flow, true);
  }
  return flows;
}

} // namespace reports::exchange

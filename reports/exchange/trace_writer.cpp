#include "reports/exchange/trace_writer.h"

#include "reports/core/text.h"
#include "reports/exchange/flow_chains.h"
#include "reports/exchange/packed_slices.h"
#include "reports/exchange/slice_layout.h"
#include "reports/rows/slice_track.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

namespace reports::exchange {

namespace {

constexpr int64_t kLeastTime = -(int64_t(1) << 61), kMostTime = int64_t(1) << 61; // the sum of two never overflows

int64_t shiftOf(const TraceSource& source, const Alignment& alignment, bool absolute) {
  switch (alignment.by) {
  case Alignment::By::Start: return -source.first;
  case Alignment::By::Marker:
    if (!source.marker)
      throw Error(ErrorCode::NotFound, "no event is called '" + displayText(alignment.marker, 200) + "'", source.name,
                  "name an event that every file holds, or use --align start");
    return -*source.marker;
  case Alignment::By::Absolute: break;
  }
  return absolute ? *source.unixOffset : 0;
}

// Sets every source's shift so that the earliest time of all becomes tick 0.
void align(std::vector<TraceSource>& sources, const Alignment& alignment) {
  const bool absolute = sources.size() > 1 && std::all_of(sources.begin(), sources.end(),
                                                          [](const TraceSource& s) { return s.unixOffset || !s.hasTimes(); });
  int64_t first = kMostTime;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    TraceSource& source = sources[i];
    if (!source.hasTimes()) continue;
    source.shift = shiftOf(source, alignment, absolute);
    if (i < alignment.offsets.size()) source.shift += alignment.offsets[i];
    first = std::min(first, std::clamp(source.first + source.shift, kLeastTime, kMostTime));
  }
  for (TraceSource& source : sources)
    if (source.hasTimes()) source.shift -= first;
}

class Writing {
public:
  Writing(TraceAssembly& assembly, Progress& progress, std::stop_token stop)
      : m_assembly(assembly), m_sink(assembly.sink()), m_progress(progress), m_stop(std::move(stop)),
        m_tracks(assembly.firstTrack()) {}

  void write() {
    m_progress.phase("writing");
    const auto order = processOrder();
    writeProcesses(order);
    writeTracks(order);
    writeCounters();
    writeHeatmaps();
    writeFlows();
    m_assembly.detailsWriter().finish();
  }

private:
  const TraceSource& sourceOf(std::size_t process) const { return m_assembly.sources()[m_assembly.processes()[process].source]; }

  // Processes in the order of the report: file by file, by their requested order, then by pid.
  std::vector<std::size_t> processOrder() const {
    const auto& processes = m_assembly.processes();
    std::vector<std::size_t> order(processes.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto key = [&](std::size_t p) {
        constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
        return std::tuple(processes[p].source, processes[p].sortOrder.value_or(0), processes[p].pid.value_or(kLast));
      };
      return key(a) < key(b);
    });
    return order;
  }

  void writeProcesses(const std::vector<std::size_t>& order) {
    m_processIds.resize(order.size());
    const bool several = m_assembly.sources().size() > 1;
    for (std::size_t id = 0; id < order.size(); ++id) {
      const TraceProcess& process = m_assembly.processes()[order[id]];
      const TraceSource& source = sourceOf(order[id]);
      m_processIds[order[id]] = int64_t(id);
      HostProcessRow row;
      row.id = int64_t(id);
      row.name = several ? process.name + " (" + source.name + ")" : process.name;
      row.pid = process.pid;
      row.provenance = "imported";
      row.clock = source.clock;
      row.clockStartNanoseconds = -source.shift;
      if (source.unixOffset) row.startUnixNanoseconds = *source.unixOffset - source.shift;
      m_sink.add(row);
    }
  }

  void writeTracks(const std::vector<std::size_t>& processOrder) {
    auto& tracks = m_assembly.tracks();
    std::vector<std::vector<std::size_t>> byProcess(processOrder.size());
    for (std::size_t t = 0; t < tracks.size(); ++t) byProcess[tracks[t].process].push_back(t);
    std::vector<std::vector<std::size_t>> pointsOf(tracks.size());
    auto& points = m_assembly.flowPoints();
    for (std::size_t p = 0; p < points.size(); ++p) {
      pointsOf[points[p].track].push_back(p);
      m_hasInstantPoints = m_hasInstantPoints || points[p].instant >= 0;
    }
    std::size_t written = 0;
    for (const std::size_t process : processOrder) {
      auto& own = byProcess[process];
      std::stable_sort(own.begin(), own.end(), [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t t) {
          return std::tuple(tracks[t].kind != TraceTrack::Kind::Thread, tracks[t].sortOrder.value_or(0),
                            tracks[t].tid.value_or(std::numeric_limits<int64_t>::max()));
        };
        return key(a) < key(b);
      });
      for (const std::size_t t : own) {
        throwIfStopped(m_stop);
        m_progress.update(double(written++) / double(tracks.size() + 1));
        writeTrack(tracks[t], pointsOf[t]);
      }
    }
  }

  void writeTrack(TraceTrack& track, const std::vector<std::size_t>& points) {
    unpackSlices(track);
    setLateDetails(track);
    if (track.slices.empty() && track.instants.empty()) return;
    ImportCounts& counts = m_assembly.sources()[m_assembly.processes()[track.process].source].counts;
    const TraceSource& source = sourceOf(track.process);
    TrackRow header;
    header.id = m_tracks;
    header.kind = "host_thread";
    header.name = track.name;
    header.tickUnit = "nanosecond";
    header.provenance = "imported";
    SliceTrackBuilder builder(m_sink, header);
    if (track.kind == TraceTrack::Kind::Thread) {
      counts.threads += !track.slices.empty() && track.rowKind.empty();
      const auto laidOut = layOutThread(track.slices, source.shift, builder, m_assembly.flowPoints(), points);
      counts.mend(Mend::OverlappingSlices, laidOut.overlapping);
      counts.mend(Mend::SlicesCut, laidOut.cut);
    } else {
      counts.mend(Mend::SlicesCut, layOutAsync(track.slices, source.shift, builder).cut);
    }
    std::vector<TraceSlice>().swap(track.slices);
    writeInstants(track, source.shift, points);
    const TrackRow row = builder.finish();
    HostThreadRow thread;
    thread.id = m_tracks;
    thread.processId = m_processIds[track.process];
    thread.name = track.name;
    thread.trackId = row.id;
    thread.tid = track.tid;
    thread.sortOrder = track.sortOrder;
    if (!track.rowKind.empty()) thread.kind = track.rowKind;
    m_sink.add(thread);
    ++m_tracks;
  }

  static void setLateDetails(TraceTrack& track) {
    if (track.lateDetails.empty()) return;
    std::sort(track.lateDetails.begin(), track.lateDetails.end());
    for (TraceSlice& s : track.slices) {
      const auto found = std::lower_bound(track.lateDetails.begin(), track.lateDetails.end(), std::pair(s.order, INT32_MIN));
      if (found != track.lateDetails.end() && found->first == s.order) s.details = found->second;
    }
  }

  // Writes the instants of a track in order of time, and sets the location of the flow points that are bound to instants.
  // `points` are the flow points on this track.
  void writeInstants(TraceTrack& track, int64_t shift, const std::vector<std::size_t>& points) {
    std::vector<std::size_t> order(track.instants.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto earlier = [&](std::size_t a, std::size_t b) { return track.instants[a].tick < track.instants[b].tick; };
    if (!std::is_sorted(order.begin(), order.end(), earlier)) {
      std::stable_sort(order.begin(), order.end(), earlier);
      std::vector<Instant> sorted;
      for (const std::size_t i : order) sorted.push_back(track.instants[i]);
      track.instants = std::move(sorted);
    }
    // new position of each instant, by its position before sorting
    std::vector<int64_t> places(m_hasInstantPoints ? order.size() : 0);
    for (std::size_t i = 0; i < places.size(); ++i) places[order[i]] = int64_t(i);
    for (const std::size_t p : points) {
      FlowPoint& point = m_assembly.flowPoints()[p];
      if (point.instant < 0) continue;
      point.place = {m_tracks, 0, places[std::size_t(point.instant)], true};
      point.bound = true;
    }
    InstantTrackBuilder builder(m_sink, m_tracks);
    for (Instant instant : track.instants) {
      instant.tick += shift;
      builder.add(instant);
    }
    builder.finish();
    std::vector<Instant>().swap(track.instants);
  }

  void writeCounters() {
    int64_t id = 0;
    for (TraceCounter& counter : m_assembly.counters()) {
      if (counter.samples.empty()) continue;
      const auto earlier = [](const CounterSample& a, const CounterSample& b) { return a.tick < b.tick; };
      if (!std::is_sorted(counter.samples.begin(), counter.samples.end(), earlier))
        std::stable_sort(counter.samples.begin(), counter.samples.end(), earlier);
      CounterSeriesRow row;
      row.id = id++;
      if (counter.process) row.processId = m_processIds[*counter.process];
      row.graph = counter.graph;
      row.name = counter.name;
      row.unit = counter.unit;
      CounterBuilder builder(m_sink, row);
      auto& source = m_assembly.sources()[counter.source];
      for (const CounterSample& s : counter.samples)
        if (std::isnan(s.value))
          source.counts.mend(Mend::CounterValuesNotNumbers);
        else
          builder.add(s.tick + source.shift, s.value);
      builder.finish();
      std::vector<CounterSample>().swap(counter.samples);
    }
  }

  // Writes the heatmaps. Values outside the edges get an additional bin, as wide as the outermost bin on that side.
  void writeHeatmaps() {
    int64_t id = 0;
    for (TraceHeatmap& heatmap : m_assembly.heatmaps()) {
      auto& samples = heatmap.samples;
      auto& edges = heatmap.edges;
      const bool ascends = std::is_sorted(edges.begin(), edges.end(), std::less_equal<>()) &&
                           std::all_of(edges.begin(), edges.end(), [](double e) { return std::isfinite(e); });
      if (samples.empty()) continue;
      ImportCounts& counts = m_assembly.sources()[heatmap.source].counts;
      if (edges.size() < 2 || edges.size() > std::size_t(kMaxHeatmapBins) - 1 || !ascends) {
        counts.mend(Mend::UnreadableEvents, int64_t(samples.size()));
        continue;
      }
      const auto any = [&](bool above) {
        return std::any_of(samples.begin(), samples.end(), [&](const TraceHeatmap::Sample& s) {
          return !s.counts.empty() && (above ? s.counts.back() : s.counts.front()) > 0;
        });
      };
      const bool below = any(false), above = any(true);
      std::stable_sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
      if (above) edges.push_back(2 * edges.back() - edges[edges.size() - 2]);
      if (below) edges.insert(edges.begin(), 2 * edges[0] - edges[1]);
      HeatmapRow row;
      row.id = id++;
      row.processId = m_processIds[heatmap.process];
      row.name = heatmap.name;
      row.unit = heatmap.unit;
      HeatmapBuilder builder(m_sink, row, edges);
      for (TraceHeatmap::Sample& sample : samples) {
        auto& c = sample.counts;
        if (!c.empty() && !above) c.pop_back();
        if (!c.empty() && !below) c.erase(c.begin());
        builder.add(sample.time + m_assembly.sources()[heatmap.source].shift, std::move(c));
      }
      builder.finish();
    }
  }

  void writeFlows() {
    FlowWriter writer(m_sink);
    auto& points = m_assembly.flowPoints();
    for (FlowPoint& point : points) point.time += sourceOf(m_assembly.tracks()[point.track].process).shift;
    const auto countsOf = [&](const FlowPoint& point) -> ImportCounts& {
      return m_assembly.sources()[m_assembly.processes()[m_assembly.tracks()[point.track].process].source].counts;
    };
    for (const Flow& flow : chainFlows(points, countsOf)) writer.add(flow);
    writer.finish();
  }

  TraceAssembly& m_assembly;
  ReportSink& m_sink;
  Progress& m_progress;
  std::stop_token m_stop;
  std::vector<int64_t> m_processIds; // by index in the assembly
  int64_t m_tracks;                  // the id of the next track
  bool m_hasInstantPoints = false;
};

} // namespace

ImportCounts writeTrace(TraceAssembly& assembly, const Alignment& alignment, Progress& progress, std::stop_token stop) {
  align(assembly.sources(), alignment);
  Writing(assembly, progress, std::move(stop)).write();
  ImportCounts all;
  int64_t first = kMostTime, last = kLeastTime;
  for (TraceSource& source : assembly.sources()) {
    if (source.hasTimes()) {
      source.counts.durationNanoseconds = source.eventDuration.value_or(source.last - source.first);
      first = std::min(first, source.first + source.shift);
      last = std::max(last, source.last + source.shift);
    }
    all.add(source.counts);
  }
  all.durationNanoseconds = assembly.sources().size() == 1 ? assembly.sources()[0].counts.durationNanoseconds
                            : first <= last                ? last - first
                                                           : 0;
  return all;
}

} // namespace reports::exchange

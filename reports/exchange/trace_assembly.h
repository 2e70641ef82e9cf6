// Collects everything that an importer reads, in any order; writeTrace() then sorts
// it, nests it and writes the rows. Names and details go to the sink at once, so a
// slice takes 32 bytes of memory, whatever its details, and a third of that for
// complete slices of a Chrome trace. Times are nanoseconds of the source's clock,
// of any sign; writing moves tick 0 to the first time of all sources.
#pragma once

#include "reports/exchange/import_counts.h"
#include "reports/exchange/json_scan.h"
#include "reports/rows/host_writers.h"
#include "reports/rows/string_pool.h"

#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace reports::exchange {

// One input file.
struct TraceSource {
  std::string name;                  // displayed: the file's name
  std::string clock = "trace";       // see host_process.clock
  std::optional<int64_t> unixOffset; // adding it to a time gives nanoseconds since 1970
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
  std::optional<int64_t> marker;        // time of the first event with the requested name
  std::optional<int64_t> eventDuration; // duration of the events, if it is not last - first; 0: they have no times
  int64_t shift = 0;                    // added to its times when they are written
  ImportCounts counts;

  bool hasTimes() const { return first <= last; }
  void see(int64_t time) {
    first = time < first ? time : first;
    last = time > last ? time : last;
  }
};

struct TraceProcess {
  std::size_t source = 0;
  std::string name;
  std::optional<int64_t> pid, sortOrder;
};

struct TraceSlice {
  int64_t start = 0, end = 0;
  uint32_t name = 0;
  int32_t details = -1;
  uint32_t order = 0; // of slices with equal times, the smallest order is outermost; for async work: its group
  uint8_t channel = 0;
  uint16_t level = 0; // async: depth within the group
};

// Slices of a thread that came before those in `slices`; see packed_slices.h.
struct PackedSlices {
  std::size_t count = 0;
  Blob starts, durations, names, details, orders, channels;
};

struct TraceTrack {
  enum class Kind : uint8_t {
    Thread, // slices nest by time
    Async,  // groups of slices side by side
  };
  std::size_t process = 0;
  Kind kind = Kind::Thread;
  std::string name;
  std::string rowKind; // host_thread.kind; empty for a thread
  std::optional<int64_t> tid, sortOrder;
  std::vector<TraceSlice> slices;
  std::vector<PackedSlices> packed;
  std::vector<Instant> instants; // any order
  // Details that became known after their slices were packed, by `order`.
  std::vector<std::pair<uint32_t, int32_t>> lateDetails;
};

struct TraceCounter {
  std::size_t source = 0;
  std::optional<std::size_t> process;
  std::string graph, name, unit;
  std::vector<CounterSample> samples; // any order
};

struct TraceHeatmap {
  struct Sample {
    int64_t time = 0;
    std::vector<int64_t> counts; // first: values below the first edge; then each bin; last: values from the last edge on
  };
  std::size_t source = 0, process = 0;
  std::string name, unit;
  std::vector<double> edges;
  std::vector<Sample> samples; // any order
};

struct FlowPoint {
  enum Kind : uint8_t { Start, Step, End };
  int64_t time = 0;
  uint64_t flow = 0; // points with the same number have one flow id
  uint32_t track = 0, name = 0;
  Kind kind = Start;
  bool stays = false;     // for an end: the flow continues after it, from the point before it
  bool nextSlice = false; // binds to the next slice to start, not to the slice around the point
  uint8_t channel = 0;
  int32_t instant = -1;          // index into the instants of the track, if the point is an instant
  std::optional<uint32_t> slice; // `order` of the slice, if known; else the slice is found by the time
  bool endsSlice = false;        // the point belongs to the event that ends its slice
  SlicePlace place;              // set when the track is written
  bool bound = false;
};

class TraceAssembly {
public:
  explicit TraceAssembly(ReportSink& sink) : m_sink(sink), m_strings(sink), m_details(sink) {}

  std::size_t addSource(std::string name);
  TraceSource& source() { return m_sources.back(); } // the source that is being read
  ImportCounts& counts() { return m_sources.back().counts; }

  std::size_t addProcess(std::string name, std::optional<int64_t> pid = {});
  std::size_t addTrack(std::size_t process, std::string name, std::optional<int64_t> tid = {});
  std::size_t addAsyncTrack(std::size_t process, std::string name, std::string rowKind);
  std::size_t addCounter(std::optional<std::size_t> process, std::string graph, std::string name, std::string unit = {});

  std::size_t addHeatmap(std::size_t process, std::string name, std::string unit, std::vector<double> edges);

  uint32_t string(std::string_view utf8) { return uint32_t(m_strings.id(utf8)); }
  uint8_t channel(std::string_view name); // "": events without a category
  // Adds a JSON object and returns its details id; an empty text gives the id of none. Invalid JSON is repaired and counted.
  int32_t details(std::string_view text);

  // A fact of the file itself, kept as metadata "trace.<name>".
  void addFact(const std::string& name, const JsonToken& value);

  // The name given to --align marker:NAME; the source stores the time of its first slice or instant.
  void setMarker(std::string_view name) { m_marker = string(name); }
  void see(int64_t time, uint32_t name) {
    source().see(time);
    if (name == m_marker && (!source().marker || time < *source().marker)) source().marker = time;
  }

  // Lower track ids belong to devices, and are written by their importer.
  void setFirstTrack(int64_t id) { m_firstTrack = id; }
  int64_t firstTrack() const { return m_firstTrack; }

  std::vector<TraceSource>& sources() { return m_sources; }
  std::vector<TraceProcess>& processes() { return m_processes; }
  std::vector<TraceTrack>& tracks() { return m_tracks; }
  std::vector<TraceCounter>& counters() { return m_counters; }
  std::vector<TraceHeatmap>& heatmaps() { return m_heatmaps; }
  std::vector<FlowPoint>& flowPoints() { return m_flowPoints; }
  ReportSink& sink() { return m_sink; }
  StringPool& strings() { return m_strings; }
  DetailsWriter& detailsWriter() { return m_details; }

private:
  ReportSink& m_sink;
  StringPool m_strings;
  DetailsWriter m_details;
  std::vector<TraceSource> m_sources;
  std::vector<TraceProcess> m_processes;
  std::vector<TraceTrack> m_tracks;
  std::vector<TraceCounter> m_counters;
  std::vector<TraceHeatmap> m_heatmaps;
  std::vector<FlowPoint> m_flowPoints;
  std::unordered_map<std::string, uint8_t> m_channels;
  std::unordered_map<std::string, int> m_facts; // occurrences by name
  int64_t m_firstTrack = 0;
  uint32_t m_marker = std::numeric_limits<uint32_t>::max();
};

} // namespace reports::exchange

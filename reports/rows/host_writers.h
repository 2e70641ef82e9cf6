// Packs the parts of a host timeline other than slices: instants, counters, heatmaps, flows and details. Entries of one track,
// series or heatmap come in order of time. An entry with an earlier time is moved to the time of the previous one, and counted in
// a report_issue.
#pragma once

#include "reports/rows/host_decode.h"
#include "reports/rows/report_sink.h"

#include <string>
#include <vector>

namespace reports {

inline constexpr int64_t kMaxHeatmapBins = 4096;
inline constexpr int64_t kCountsPerChunk = 65536;
inline constexpr int64_t kMaxDetailsBytes = int64_t(64) << 20; // of one chunk; one text is at most 16 MiB
inline constexpr int64_t kMaxDetailsText = int64_t(16) << 20;

// The nearest tick, not before `least`, that a report can hold; `moved` counts the changed ticks.
int64_t lawfulTick(int64_t tick, int64_t least, int64_t& moved);

class InstantTrackBuilder {
public:
  InstantTrackBuilder(ReportSink& sink, int64_t trackId) : m_sink(sink) { m_row.trackId = trackId; }
  void add(const Instant& instant);
  void finish(); // call it once, after the last add()

private:
  void flush();
  ReportSink& m_sink;
  InstantChunkRow m_row; // the current row, without its BLOBs
  PackedWriter m_gaps, m_names, m_categories, m_scopes, m_refs;
  int64_t m_lastRef = 0, m_moved = 0;
};

class CounterBuilder {
public:
  // `header` gives id, process, graph, name and unit; the rest is counted here.
  CounterBuilder(ReportSink& sink, CounterSeriesRow header) : m_sink(sink), m_series(std::move(header)) {}
  void add(int64_t tick, double value); // NaN values are left out and counted
  CounterSeriesRow finish();            // writes the remaining data, the levels, the issues and the series row

private:
  void flush();
  void writeLevels();
  ReportSink& m_sink;
  CounterSeriesRow m_series;
  CounterChunkRow m_row;
  PackedWriter m_gaps, m_values;
  uint64_t m_lastBits = 0;
  CounterLevel m_level;
  int64_t m_moved = 0, m_notNumbers = 0;
};

class HeatmapBuilder {
public:
  // Throws Error(InvalidInput) unless there are two to 4,097 ascending edges.
  HeatmapBuilder(ReportSink& sink, HeatmapRow header, const std::vector<double>& edges);
  void add(int64_t tick, std::vector<int64_t> counts); // one per bin; missing ones are 0
  HeatmapRow finish();

private:
  void flush();
  ReportSink& m_sink;
  HeatmapRow m_heatmap;
  HeatmapChunkRow m_row;
  PackedWriter m_gaps;
  std::vector<int64_t> m_counts;
  int64_t m_moved = 0;
};

// Flows in order of fromTick.
class FlowWriter {
public:
  explicit FlowWriter(ReportSink& sink) : m_sink(sink) {}
  void add(const Flow& flow);
  void finish();

private:
  void flush();
  ReportSink& m_sink;
  std::vector<Flow> m_flows;
  int64_t m_chunks = 0;
};

// Numbers texts with details ids, from 0, and writes them as they come.
class DetailsWriter {
public:
  explicit DetailsWriter(ReportSink& sink) : m_sink(sink) {}
  // Returns the text's id, or -1: for an empty text, a text that is too large for a report, or more than 2^31 texts. A text equal
  // to the previous one gets its id.
  int64_t add(std::string_view json);
  bool isLast(std::string_view json) const; // equals the last added text
  void finish();

private:
  void flush();
  ReportSink& m_sink;
  std::string m_texts;
  std::vector<int64_t> m_sizes;
  int64_t m_chunks = 0, m_firstId = 0;
};

} // namespace reports

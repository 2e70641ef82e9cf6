#include "reports/rows/host_writers.h"

#include "reports/core/compressed.h"
#include "reports/core/error.h"
#include "reports/rows/slice_track.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reports {

namespace {

constexpr int64_t kSamplesPerBucket = 64;
constexpr int64_t kTopCounterBuckets = 64; // largest number of buckets in the coarsest stored level
constexpr std::size_t kDetailsFlushBytes = 1 << 20;

void reportMoved(ReportSink& sink, const std::string& place, int64_t moved) {
  if (moved > 0)
    sink.add(ReportIssueRow{
        0, "warning", place,
        "entries are earlier than the previous entry, or outside the range of times; moved to the nearest valid time",
        "check the clocks of the trace", moved});
}

} // namespace

int64_t lawfulTick(int64_t tick, int64_t least, int64_t& moved) {
  const int64_t lawful = std::clamp(tick, std::min(least, kMaxTick), kMaxTick);
  moved += lawful != tick;
  return lawful;
}

void InstantTrackBuilder::add(const Instant& instant) {
  const int64_t tick = lawfulTick(instant.tick, m_row.lastTick, m_moved);
  if (m_row.instants == 0) m_row.firstTick = m_row.lastTick = tick;
  m_gaps.varint(uint64_t(tick - m_row.lastTick));
  m_names.varint(instant.name);
  m_categories.byte(instant.category);
  m_scopes.byte(uint8_t(instant.scope));
  m_refs.zigzag(instant.details - m_lastRef);
  m_lastRef = instant.details;
  m_row.lastTick = tick;
  if (++m_row.instants == kSlicesPerChunk) flush();
}

void InstantTrackBuilder::flush() {
  if (m_row.instants == 0) return;
  m_row.gaps = m_gaps.take();
  m_row.names = m_names.take();
  m_row.categories = m_categories.take();
  m_row.scopes = m_scopes.take();
  m_row.refs = m_refs.take();
  m_sink.add(m_row);
  m_gaps = m_names = m_categories = m_scopes = m_refs = PackedWriter();
  m_lastRef = m_row.instants = 0;
  ++m_row.chunk;
}

void InstantTrackBuilder::finish() {
  flush();
  reportMoved(m_sink, "instants of track " + std::to_string(m_row.trackId), m_moved);
}

void CounterBuilder::add(int64_t tick, double value) {
  if (std::isnan(value)) {
    ++m_notNumbers;
    return;
  }
  tick = lawfulTick(tick, m_series.lastTick, m_moved);
  if (m_series.samples == 0) {
    m_series.firstTick = tick;
    m_series.minValue = m_series.maxValue = value;
  }
  if (m_row.samples == 0) {
    m_row.firstTick = m_row.lastTick = tick;
    m_lastBits = 0;
  }
  m_gaps.varint(uint64_t(tick - m_row.lastTick));
  packReal(m_values, value, m_lastBits);
  m_row.lastTick = m_series.lastTick = tick;
  m_series.minValue = std::min(m_series.minValue, value);
  m_series.maxValue = std::max(m_series.maxValue, value);
  ++m_series.samples;
  const int64_t limit = std::max(m_series.samples / kSamplesPerBucket * 4, kTopCounterBuckets);
  auto& buckets = m_level.buckets;
  if (buckets.empty() || buckets.back().index != tick >> m_level.shift) {
    while (int64_t(buckets.size()) >= limit && buckets.back().index != tick >> m_level.shift) m_level = coarser(m_level);
    if (buckets.empty() || buckets.back().index != tick >> m_level.shift)
      buckets.push_back({tick >> m_level.shift, 0, value, value, value});
  }
  CounterBucket& bucket = buckets.back();
  ++bucket.samples;
  bucket.min = std::min(bucket.min, value);
  bucket.max = std::max(bucket.max, value);
  bucket.last = value;
  if (++m_row.samples == kSlicesPerChunk) flush();
}

void CounterBuilder::flush() {
  if (m_row.samples == 0) return;
  m_row.seriesId = m_series.id;
  m_row.gaps = m_gaps.take();
  m_row.values = m_values.take();
  m_sink.add(m_row);
  m_gaps = m_values = PackedWriter();
  m_row.samples = 0;
  ++m_row.chunk;
}

void CounterBuilder::writeLevels() {
  if (m_series.samples == 0) return;
  const int64_t limit = std::max(m_series.samples / kSamplesPerBucket, kTopCounterBuckets);
  while (int64_t(m_level.buckets.size()) > limit) m_level = coarser(m_level);
  for (int64_t number = 0;; ++number) {
    PackedWriter gaps, samples, minima, maxima, lasts;
    uint64_t min = 0, max = 0, last = 0;
    int64_t index = -1;
    for (const CounterBucket& bucket : m_level.buckets) {
      gaps.varint(uint64_t(bucket.index - index));
      index = bucket.index;
      samples.varint(uint64_t(bucket.samples));
      packReal(minima, bucket.min, min);
      packReal(maxima, bucket.max, max);
      packReal(lasts, bucket.last, last);
    }
    const auto n = int64_t(m_level.buckets.size());
    m_sink.add(CounterLevelRow{m_series.id, number, m_level.shift, n, gaps.take(), samples.take(), minima.take(), maxima.take(),
                               lasts.take()});
    if (n <= kTopCounterBuckets || m_level.shift == 62) return;
    m_level = coarser(m_level);
  }
}

CounterSeriesRow CounterBuilder::finish() {
  flush();
  writeLevels();
  m_level = {};
  const std::string place = "counter " + m_series.graph + (m_series.name.empty() ? "" : ", " + m_series.name);
  reportMoved(m_sink, place, m_moved);
  if (m_notNumbers > 0) m_sink.add(ReportIssueRow{0, "notice", place, "samples hold no number; left out", "", m_notNumbers});
  m_sink.add(m_series);
  return m_series;
}

HeatmapBuilder::HeatmapBuilder(ReportSink& sink, HeatmapRow header, const std::vector<double>& edges)
    : m_sink(sink), m_heatmap(std::move(header)) {
  if (edges.size() < 2 || edges.size() > std::size_t(kMaxHeatmapBins) + 1 ||
      std::adjacent_find(edges.begin(), edges.end(), [](double a, double b) { return !(a < b); }) != edges.end())
    throw Error(ErrorCode::InvalidInput, "a heatmap needs 2 to 4097 ascending edges", m_heatmap.name);
  m_heatmap.bins = int64_t(edges.size()) - 1;
  m_heatmap.edges = packReals(edges);
}

void HeatmapBuilder::add(int64_t tick, std::vector<int64_t> counts) {
  tick = lawfulTick(tick, m_heatmap.lastTick, m_moved);
  if (m_heatmap.samples++ == 0) m_heatmap.firstTick = tick;
  if (m_row.samples == 0) m_row.firstTick = m_row.lastTick = tick;
  m_gaps.varint(uint64_t(tick - m_row.lastTick));
  m_row.lastTick = m_heatmap.lastTick = tick;
  counts.resize(std::size_t(m_heatmap.bins));
  m_counts.insert(m_counts.end(), counts.begin(), counts.end());
  ++m_row.samples;
  if (int64_t(m_counts.size()) + m_heatmap.bins > kCountsPerChunk) flush();
}

void HeatmapBuilder::flush() {
  if (m_row.samples == 0) return;
  m_row.heatmapId = m_heatmap.id;
  m_row.gaps = m_gaps.take();
  m_row.counts = packRuns(m_counts);
  m_sink.add(m_row);
  m_gaps = PackedWriter();
  m_counts.clear();
  m_row.samples = 0;
  ++m_row.chunk;
}

HeatmapRow HeatmapBuilder::finish() {
  flush();
  reportMoved(m_sink, "heatmap " + m_heatmap.name, m_moved);
  m_sink.add(m_heatmap);
  return m_heatmap;
}

void FlowWriter::add(const Flow& flow) {
  m_flows.push_back(flow);
  if (int64_t(m_flows.size()) == kSlicesPerChunk) flush();
}

void FlowWriter::flush() {
  if (m_flows.empty()) return;
  FlowChunkRow row;
  row.chunk = m_chunks++;
  row.flows = int64_t(m_flows.size());
  row.firstTick = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> columns[10];
  for (const Flow& f : m_flows) {
    row.firstTick = std::min({row.firstTick, f.fromTick, f.toTick});
    row.lastTick = std::max({row.lastTick, f.fromTick, f.toTick});
    row.categories.push_back(f.category);
    const int64_t values[10] = {f.name,     f.from.track, f.from.depth, f.from.slice, f.fromTick,
                                f.to.track, f.to.depth,   f.to.slice,   f.toTick,     f.number.value_or(0)};
    for (std::size_t c = 0; c < 10; ++c) columns[c].push_back(values[c]);
  }
  row.names = packVarints(columns[0]);
  row.fromTracks = packDeltas(columns[1]);
  row.fromDepths = packVarints(columns[2]);
  row.fromSlices = packDeltas(columns[3]);
  row.fromTicks = packDeltas(columns[4]);
  row.toTracks = packDeltas(columns[5]);
  row.toDepths = packVarints(columns[6]);
  row.toSlices = packDeltas(columns[7]);
  row.toTicks = packDeltas(columns[8]);
  const bool areNumbered = std::all_of(m_flows.begin(), m_flows.end(), [](const Flow& flow) { return flow.number.has_value(); });
  if (areNumbered) row.numbers = packDeltas(columns[9]);
  if (std::any_of(m_flows.begin(), m_flows.end(), [](const Flow& f) { return f.from.isInstant || f.to.isInstant; })) {
    row.instants.emplace();
    for (const Flow& f : m_flows) row.instants->push_back(uint8_t((f.from.isInstant ? 1 : 0) | (f.to.isInstant ? 2 : 0)));
  }
  m_sink.add(row);
  m_flows.clear();
}

void FlowWriter::finish() { flush(); }

bool DetailsWriter::isLast(std::string_view json) const {
  return !m_sizes.empty() && m_sizes.back() == int64_t(json.size()) &&
         std::string_view(m_texts).substr(m_texts.size() - json.size()) == json;
}

int64_t DetailsWriter::add(std::string_view json) {
  const int64_t id = m_firstId + int64_t(m_sizes.size());
  if (json.empty() || int64_t(json.size()) > kMaxDetailsText || id > std::numeric_limits<int32_t>::max()) return -1;
  if (isLast(json)) return id - 1;
  m_texts += json;
  m_sizes.push_back(int64_t(json.size()));
  if (m_texts.size() >= kDetailsFlushBytes || int64_t(m_sizes.size()) == kSlicesPerChunk) flush();
  return id;
}

void DetailsWriter::flush() {
  if (m_sizes.empty()) return;
  m_sink.add(DetailsChunkRow{m_chunks++, m_firstId, int64_t(m_sizes.size()), int64_t(m_texts.size()), packVarints(m_sizes),
                             compress(m_texts)});
  m_firstId += int64_t(m_sizes.size());
  m_sizes.clear();
  m_texts.clear();
}

void DetailsWriter::finish() { flush(); }

} // namespace reports

#include "reports/rows/host_decode.h"

#include "reports/core/compressed.h"
#include "reports/core/error.h"
#include "reports/rows/host_writers.h"
#include "reports/rows/slice_track.h"

#include <algorithm>
#include <limits>
#include <string>

namespace reports {

namespace {

[[noreturn]] void wrongHostRow(const char* what, std::string_view table) {
  throw Error(ErrorCode::Damaged, what, std::string(table));
}

std::size_t requireCount(int64_t count, int64_t most, std::string_view table) {
  if (count < 1 || count > most) wrongHostRow("a chunk holds an impossible number of entries", table);
  return std::size_t(count);
}

// Ticks of a chunk from the gaps between them.
std::vector<int64_t> ticksOf(const Blob& gaps, std::size_t n, int64_t first, int64_t last, std::string_view table) {
  if (first < 0 || last < first || last > kMaxTick) wrongHostRow("a chunk ends before it starts", table);
  std::vector<int64_t> ticks = unpackVarints(gaps, n, table);
  int64_t at = first;
  for (int64_t& tick : ticks) {
    if (tick < 0 || tick > last - at) wrongHostRow("an entry is after the end of its chunk", table);
    tick = at += tick;
  }
  if (at != last) wrongHostRow("the last entry of a chunk does not end at the end of the chunk", table);
  return ticks;
}

uint32_t stringId(int64_t id, std::string_view table) {
  if (id < 0 || id > std::numeric_limits<uint32_t>::max()) wrongHostRow("a name is not a possible string id", table);
  return uint32_t(id);
}

void requireBytesEach(const Blob& bytes, std::size_t n, std::string_view table) {
  if (bytes.size() != n) wrongHostRow("a chunk holds more or fewer bytes than entries", table);
}

} // namespace

std::vector<Instant> decodeInstants(const InstantChunkRow& row) {
  const std::size_t n = requireCount(row.instants, kSlicesPerChunk, row.kTable);
  const auto ticks = ticksOf(row.gaps, n, row.firstTick, row.lastTick, "instant_chunk.gaps");
  const auto names = unpackVarints(row.names, n, "instant_chunk.names");
  const auto refs = unpackDeltas(row.refs, n, "instant_chunk.refs");
  requireBytesEach(row.categories, n, "instant_chunk.categories");
  requireBytesEach(row.scopes, n, "instant_chunk.scopes");
  std::vector<Instant> instants(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (row.scopes[i] > uint8_t(InstantScope::Trace)) wrongHostRow("an instant has an impossible scope", "instant_chunk.scopes");
    if (refs[i] < -1 || refs[i] > std::numeric_limits<int32_t>::max())
      wrongHostRow("a reference is not a possible id", "instant_chunk.refs");
    instants[i] = {ticks[i], stringId(names[i], "instant_chunk.names"), row.categories[i], InstantScope(row.scopes[i]),
                   int32_t(refs[i])};
  }
  return instants;
}

std::vector<CounterSample> decodeCounter(const CounterChunkRow& row) {
  const std::size_t n = requireCount(row.samples, kSlicesPerChunk, row.kTable);
  const auto ticks = ticksOf(row.gaps, n, row.firstTick, row.lastTick, "counter_chunk.gaps");
  const auto values = unpackReals(row.values, n, "counter_chunk.values");
  std::vector<CounterSample> samples(n);
  for (std::size_t i = 0; i < n; ++i) samples[i] = {ticks[i], values[i]};
  return samples;
}

CounterLevel decodeLevel(const CounterLevelRow& row) {
  if (row.bucketShift < 0 || row.bucketShift > 62) wrongHostRow("a level has an impossible bucket width", row.kTable);
  if (row.buckets < 0 || row.buckets > int64_t(row.gaps.size()))
    wrongHostRow("a level holds fewer values than buckets", row.kTable);
  const auto n = std::size_t(row.buckets);
  const auto gaps = unpackVarints(row.gaps, n, "counter_level.gaps");
  const auto samples = unpackVarints(row.samples, n, "counter_level.samples");
  const auto minima = unpackReals(row.minima, n, "counter_level.minima");
  const auto maxima = unpackReals(row.maxima, n, "counter_level.maxima");
  const auto lasts = unpackReals(row.lasts, n, "counter_level.lasts");
  CounterLevel level;
  level.shift = int(row.bucketShift);
  level.buckets.resize(n);
  const int64_t lastIndex = kMaxTick >> level.shift;
  int64_t index = -1;
  for (std::size_t i = 0; i < n; ++i) {
    if (gaps[i] <= 0 || gaps[i] > lastIndex - index) wrongHostRow("buckets of a level are not in order", "counter_level.gaps");
    if (samples[i] <= 0) wrongHostRow("a bucket holds an impossible number", "counter_level.samples");
    index += gaps[i];
    level.buckets[i] = {index, samples[i], minima[i], maxima[i], lasts[i]};
  }
  return level;
}

CounterLevel coarser(const CounterLevel& level) {
  CounterLevel out;
  out.shift = level.shift + 1;
  for (const CounterBucket& bucket : level.buckets) {
    const int64_t index = bucket.index >> 1;
    if (out.buckets.empty() || out.buckets.back().index != index) {
      out.buckets.push_back(bucket);
      out.buckets.back().index = index;
      continue;
    }
    CounterBucket& parent = out.buckets.back();
    parent.samples = int64_t(uint64_t(parent.samples) + uint64_t(bucket.samples));
    parent.min = std::min(parent.min, bucket.min);
    parent.max = std::max(parent.max, bucket.max);
    parent.last = bucket.last;
  }
  return out;
}

std::vector<double> heatmapEdges(const HeatmapRow& row) {
  if (row.bins < 1 || row.bins > kMaxHeatmapBins) wrongHostRow("a heatmap has an impossible number of bins", row.kTable);
  return unpackReals(row.edges, std::size_t(row.bins) + 1, "heatmap.edges");
}

std::vector<Histogram> decodeHeatmap(const HeatmapChunkRow& row, int64_t bins) {
  if (bins < 1 || bins > kMaxHeatmapBins) wrongHostRow("a heatmap has an impossible number of bins", "heatmap");
  const std::size_t n = requireCount(row.samples, kCountsPerChunk, row.kTable), width = std::size_t(bins);
  const auto ticks = ticksOf(row.gaps, n, row.firstTick, row.lastTick, "heatmap_chunk.gaps");
  if (n * width > std::size_t(kCountsPerChunk) + width) wrongHostRow("a chunk holds too many counts", row.kTable);
  const auto counts = unpackRuns(row.counts, n * width, "heatmap_chunk.counts");
  std::vector<Histogram> histograms(n);
  for (std::size_t i = 0; i < n; ++i)
    histograms[i] = {ticks[i], {counts.begin() + std::ptrdiff_t(i * width), counts.begin() + std::ptrdiff_t((i + 1) * width)}};
  return histograms;
}

std::vector<Flow> decodeFlows(const FlowChunkRow& row) {
  const std::size_t n = requireCount(row.flows, kSlicesPerChunk, row.kTable);
  const auto names = unpackVarints(row.names, n, "flow_chunk.names");
  requireBytesEach(row.categories, n, "flow_chunk.categories");
  const auto fromTracks = unpackDeltas(row.fromTracks, n, "flow_chunk.from_tracks");
  const auto fromDepths = unpackVarints(row.fromDepths, n, "flow_chunk.from_depths");
  const auto fromSlices = unpackDeltas(row.fromSlices, n, "flow_chunk.from_slices");
  const auto fromTicks = unpackDeltas(row.fromTicks, n, "flow_chunk.from_ticks");
  const auto toTracks = unpackDeltas(row.toTracks, n, "flow_chunk.to_tracks");
  const auto toDepths = unpackVarints(row.toDepths, n, "flow_chunk.to_depths");
  const auto toSlices = unpackDeltas(row.toSlices, n, "flow_chunk.to_slices");
  const auto toTicks = unpackDeltas(row.toTicks, n, "flow_chunk.to_ticks");
  const auto numbers = row.numbers ? unpackDeltas(*row.numbers, n, "flow_chunk.numbers") : std::vector<int64_t>();
  if (row.instants) requireBytesEach(*row.instants, n, "flow_chunk.instants");
  std::vector<Flow> flows(n);
  for (std::size_t i = 0; i < n; ++i) {
    Flow& flow = flows[i];
    const uint8_t instants = row.instants ? (*row.instants)[i] : 0;
    flow = {{fromTracks[i], fromDepths[i], fromSlices[i], (instants & 1) != 0},
            {toTracks[i], toDepths[i], toSlices[i], (instants & 2) != 0},
            fromTicks[i],
            toTicks[i],
            stringId(names[i], "flow_chunk.names"),
            row.categories[i]};
    if (row.numbers) flow.number = numbers[i];
    if (flow.number && *flow.number < 0) wrongHostRow("a flow has a negative number", row.kTable);
    for (const SlicePlace& place : {flow.from, flow.to})
      if (place.track < 0 || place.track >= TrackId::kNone || place.depth < 0 || place.depth >= kMaxDepth || place.slice < 0)
        wrongHostRow("a flow ends at an impossible slice", row.kTable);
    for (const int64_t tick : {flow.fromTick, flow.toTick})
      if (tick < row.firstTick || tick > row.lastTick || tick < 0 || tick > kMaxTick)
        wrongHostRow("a flow ends outside its chunk", row.kTable);
  }
  return flows;
}

std::vector<std::string> decodeDetails(const DetailsChunkRow& row) {
  const std::size_t n = requireCount(row.texts, kSlicesPerChunk, row.kTable);
  if (row.textBytes < 0 || row.textBytes > kMaxDetailsBytes)
    wrongHostRow("a chunk of details has an impossible size", row.kTable);
  const auto sizes = unpackVarints(row.sizes, n, "details_chunk.sizes");
  const std::string all = decompress(row.data, std::size_t(row.textBytes), "details_chunk.data");
  std::vector<std::string> texts;
  texts.reserve(n);
  std::size_t at = 0;
  for (const int64_t size : sizes) {
    if (size < 0 || uint64_t(size) > all.size() - at) wrongHostRow("a text ends after its chunk", "details_chunk.sizes");
    texts.push_back(all.substr(at, std::size_t(size)));
    at += std::size_t(size);
  }
  if (at != all.size()) wrongHostRow("the sizes of the texts in a chunk add up to less than the chunk", "details_chunk.sizes");
  return texts;
}

} // namespace reports

// Decodes the packed rows of the host timeline: instants, counters, heatmaps, flows and details. Pure functions; a damaged BLOB
// throws Error(Damaged).
#pragma once

#include "reports/core/ids.h"
#include "reports/core/range.h"
#include "reports/rows/counter_chunk.h"
#include "reports/rows/counter_level.h"
#include "reports/rows/details_chunk.h"
#include "reports/rows/flow_chunk.h"
#include "reports/rows/heatmap.h"
#include "reports/rows/heatmap_chunk.h"
#include "reports/rows/instant_chunk.h"

#include <vector>

namespace reports {

enum class InstantScope : uint8_t { Thread = 0, Process = 1, Trace = 2 };

struct Instant {
  int64_t tick = 0;
  uint32_t name = 0; // string id
  uint8_t category = 0;
  InstantScope scope = InstantScope::Thread;
  int32_t details = -1;
  bool operator==(const Instant&) const = default;
};
std::vector<Instant> decodeInstants(const InstantChunkRow& row);

struct CounterSample {
  int64_t tick = 0;
  double value = 0;
  bool operator==(const CounterSample&) const = default;
};
std::vector<CounterSample> decodeCounter(const CounterChunkRow& row);

struct CounterBucket {
  int64_t index = 0; // covers ticks [index << shift, (index + 1) << shift)
  int64_t samples = 0;
  double min = 0, max = 0, last = 0;
  bool operator==(const CounterBucket&) const = default;
};
struct CounterLevel {
  int shift = 0;
  std::vector<CounterBucket> buckets; // non-empty ones, in order of time
};
CounterLevel decodeLevel(const CounterLevelRow& row);
// The next coarser level: buckets of twice the width. It is computed from its children only.
CounterLevel coarser(const CounterLevel& level);

struct Histogram {
  int64_t tick = 0;
  std::vector<int64_t> counts; // one per bin
  bool operator==(const Histogram&) const = default;
};
std::vector<double> heatmapEdges(const HeatmapRow& row);
std::vector<Histogram> decodeHeatmap(const HeatmapChunkRow& row, int64_t bins);

// A host slice or instant. A slice's number counts the slices of its (track, depth) from 0, over all chunks. An instant's number
// counts the instants of its track; its depth is 0.
struct SlicePlace {
  int64_t track = 0, depth = 0, slice = 0;
  bool isInstant = false;
  bool operator==(const SlicePlace&) const = default;
};
struct Flow {
  SlicePlace from, to;
  int64_t fromTick = 0, toTick = 0;
  uint32_t name = 0; // string id
  uint8_t category = 0;
  std::optional<int64_t> number = {}; // arrows with equal numbers are one flow of several points; missing in older reports
  bool operator==(const Flow&) const = default;
};
std::vector<Flow> decodeFlows(const FlowChunkRow& row);

// The texts of a chunk, by details id - firstId.
std::vector<std::string> decodeDetails(const DetailsChunkRow& row);

} // namespace reports

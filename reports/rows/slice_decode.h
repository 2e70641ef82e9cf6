// Decodes the packed chunks and pyramid levels of slices. Pure functions; a damaged BLOB throws Error(Damaged).
#pragma once

#include "reports/core/range.h"
#include "reports/rows/slice_chunk.h"
#include "reports/rows/slice_level.h"

#include <span>
#include <vector>

namespace reports {

// Columns of slices, 25 bytes per slice. Slices are in order of start and disjoint.
struct SliceColumns {
  std::vector<int64_t> starts;
  std::vector<int64_t> durations;
  std::vector<uint32_t> names;     // string ids
  std::vector<uint8_t> categories; // reports::Activity or channel.id
  std::vector<int32_t> refs;       // step_profile.id or debug_context.id, -1 for none

  std::size_t size() const { return starts.size(); }
  int64_t end(std::size_t i) const { return starts[i] + durations[i]; }
  void reserve(std::size_t n);
};

void appendChunk(const SliceChunkRow& row, SliceColumns& out); // leaves `out` unchanged if it throws
SliceColumns decodeChunk(const SliceChunkRow& row);
// The first slices of a chunk, at most `most`: cheaper than the whole chunk.
SliceColumns decodeHead(const SliceChunkRow& row, std::size_t most);

// Busy ticks of one category within one bucket.
struct SliceShare {
  uint8_t category = 0;
  int64_t busyTicks = 0; // 0 if all slices of the category have no duration
  bool operator==(const SliceShare&) const = default;
};

struct SliceBucket {
  int64_t index = 0;       // covers ticks [index << shift, (index + 1) << shift)
  int64_t slices = 0;      // slices that start in it
  int64_t widestTicks = 0; // full duration of the longest slice that touches it
  uint32_t widestName = 0; // string id of that slice (the first if several are equal)
  uint32_t firstShare = 0; // its shares, by category, in SliceLevel::shares
  uint32_t shareCount = 0;
};

// One level: non-empty buckets in order of time. Busy ticks are exact: a slice is split among the buckets it crosses.
struct SliceLevel {
  int shift = 0;
  std::vector<SliceBucket> buckets;
  std::vector<SliceShare> shares;

  int64_t bucketTicks() const { return int64_t(1) << shift; }
  TickRange ticks(const SliceBucket& b) const { return {b.index << shift, (b.index + 1) << shift}; }
  std::span<const SliceShare> sharesOf(const SliceBucket& b) const {
    return std::span(shares).subspan(b.firstShare, b.shareCount);
  }
  int64_t busyTicks(const SliceBucket& b) const; // over all categories
};

SliceLevel decodeLevel(const SliceLevelRow& row);

// The next coarser level: buckets of twice the width, computed only from their children.
SliceLevel coarser(const SliceLevel& level);
// Writes the next coarser level into `parent`, whose memory is reused.
void coarsen(const SliceLevel& level, SliceLevel& parent);
// The packed form of slice_level.data.
Blob encodeLevel(const SliceLevel& level);

} // namespace reports

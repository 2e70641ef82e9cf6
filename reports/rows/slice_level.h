// Table `slice_level`: One level of the time pyramid of one (track, depth); buckets of 2^bucket_shift ticks.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct SliceLevelRow {
  int64_t trackId = 0;
  int64_t depth = 0;
  int64_t level = 0;
  int64_t bucketShift = 0;
  int64_t buckets = 0;
  Blob data;

  static constexpr std::string_view kTable = "slice_level";
  static constexpr std::string_view kMeaning =
      "One level of the time pyramid of one (track, depth); buckets of 2^bucket_shift ticks. Level 0 is the "
      "finest; each next level doubles the bucket.";
  template<class Row = SliceLevelRow> static constexpr auto columns() {
    return std::make_tuple(
        column("track_id", &Row::trackId, "track.id"), column("depth", &Row::depth, "depth"),
        column("level", &Row::level, "0 is the finest"),
        column("bucket_shift", &Row::bucketShift,
               "bucket width = 2^bucket_shift ticks; bucket i covers [i, i+1) widths from tick 0"),
        column("buckets", &Row::buckets, "number of non-empty buckets stored"),
        column("data", &Row::data,
               "per non-empty bucket: varint gap to the previous index (index+1 for the first), varint slices that "
               "start in it, varint widest duration, varint widest name (string id), varint number of categories, "
               "then per category a byte and varint busy ticks"));
  }
};

} // namespace reports

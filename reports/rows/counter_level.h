// Table `counter_level`: One level of detail of a counter series; buckets of 2^bucket_shift nanoseconds.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct CounterLevelRow {
  int64_t seriesId = 0;
  int64_t level = 0;
  int64_t bucketShift = 0;
  int64_t buckets = 0;
  Blob gaps;
  Blob samples;
  Blob minima;
  Blob maxima;
  Blob lasts;

  static constexpr std::string_view kTable = "counter_level";
  static constexpr std::string_view kMeaning =
      "One level of detail of a counter series. Level 0 is the finest; each next level doubles the bucket. Parents are computed "
      "only from their children, so every level has every peak.";
  template<class Row = CounterLevelRow> static constexpr auto columns() {
    return std::make_tuple(column("series_id", &Row::seriesId, "counter_series.id"),
                           column("level", &Row::level, "0 is the finest"),
                           column("bucket_shift", &Row::bucketShift,
                                  "bucket width = 2^bucket_shift ticks; bucket i covers [i, i+1) widths from tick 0"),
                           column("buckets", &Row::buckets, "number of non-empty buckets stored"),
                           column("gaps", &Row::gaps, "varint: index minus the previous index (index+1 for the first)"),
                           column("samples", &Row::samples, "varint: samples in each bucket"),
                           column("minima", &Row::minima, "reals: smallest value of each bucket"),
                           column("maxima", &Row::maxima, "reals: largest value of each bucket"),
                           column("lasts", &Row::lasts, "reals: value of the last sample of each bucket"));
  }
};

} // namespace reports

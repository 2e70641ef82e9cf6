// Table `counter_chunk`: Up to 16,384 consecutive samples of one counter series.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct CounterChunkRow {
  int64_t seriesId = 0;
  int64_t chunk = 0;
  int64_t samples = 0;
  int64_t firstTick = 0;
  int64_t lastTick = 0;
  Blob gaps;
  Blob values;

  static constexpr std::string_view kTable = "counter_chunk";
  static constexpr std::string_view kMeaning = "Up to 16,384 consecutive samples of one counter series, in order of time.";
  template<class Row = CounterChunkRow> static constexpr auto columns() {
    return std::make_tuple(
        column("series_id", &Row::seriesId, "counter_series.id"),
        column("chunk", &Row::chunk, "number within the series, from 0"), column("samples", &Row::samples, "number of samples"),
        column("first_tick", &Row::firstTick, "tick of the first sample"),
        column("last_tick", &Row::lastTick, "tick of the last sample"),
        column("gaps", &Row::gaps, "varint: tick minus the previous sample's tick (for the first: minus first_tick)"),
        column("values", &Row::values, "reals"));
  }
};

} // namespace reports

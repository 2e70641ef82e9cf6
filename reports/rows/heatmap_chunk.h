// Table `heatmap_chunk`: Consecutive histograms of one heatmap, at most 65,536 counts.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct HeatmapChunkRow {
  int64_t heatmapId = 0;
  int64_t chunk = 0;
  int64_t samples = 0;
  int64_t firstTick = 0;
  int64_t lastTick = 0;
  Blob gaps;
  Blob counts;

  static constexpr std::string_view kTable = "heatmap_chunk";
  static constexpr std::string_view kMeaning = "Consecutive histograms of one heatmap, in order of time.";
  template<class Row = HeatmapChunkRow> static constexpr auto columns() {
    return std::make_tuple(
        column("heatmap_id", &Row::heatmapId, "heatmap.id"), column("chunk", &Row::chunk, "number within the heatmap, from 0"),
        column("samples", &Row::samples, "number of histograms"),
        column("first_tick", &Row::firstTick, "tick of the first histogram"),
        column("last_tick", &Row::lastTick, "tick of the last histogram"),
        column("gaps", &Row::gaps, "varint: tick minus the previous histogram's tick (for the first: minus first_tick)"),
        column("counts", &Row::counts, "runs: samples x bins counts, histogram by histogram"));
  }
};

} // namespace reports

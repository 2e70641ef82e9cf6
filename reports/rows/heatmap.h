// Table `heatmap`: A histogram that changes over time.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct HeatmapRow {
  int64_t id = 0;
  std::optional<int64_t> processId;
  std::string name;
  std::string unit;
  int64_t bins = 0;
  Blob edges;
  int64_t samples = 0;
  int64_t firstTick = 0;
  int64_t lastTick = 0;

  static constexpr std::string_view kTable = "heatmap";
  static constexpr std::string_view kMeaning = "A histogram that changes over time: counts of values between the same edges.";
  template<class Row = HeatmapRow> static constexpr auto columns() {
    return std::make_tuple(column("id", &Row::id, "heatmap id, from 0", "PRIMARY KEY"),
                           column("process_id", &Row::processId, "host_process.id; NULL if it belongs to the whole host"),
                           column("name", &Row::name, "name for people"),
                           column("unit", &Row::unit, "unit of the edges; empty if not known"),
                           column("bins", &Row::bins, "number of bins"),
                           column("edges", &Row::edges, "reals: bins + 1 edges, ascending; bin i is [edge i, edge i+1)"),
                           column("samples", &Row::samples, "number of histograms"),
                           column("first_tick", &Row::firstTick, "nanosecond of the first histogram"),
                           column("last_tick", &Row::lastTick, "nanosecond of the last histogram"));
  }
};

} // namespace reports

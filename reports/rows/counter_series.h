// Table `counter_series`: A number that changes over time; series of one graph share a chart.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct CounterSeriesRow {
  int64_t id = 0;
  std::optional<int64_t> processId;
  std::string graph;
  std::string name;
  std::string unit;
  int64_t samples = 0;
  int64_t firstTick = 0;
  int64_t lastTick = 0;
  double minValue = 0;
  double maxValue = 0;

  static constexpr std::string_view kTable = "counter_series";
  static constexpr std::string_view kMeaning =
      "A number that changes over time. Series of the same process and graph share a chart. A value holds until the next sample.";
  template<class Row = CounterSeriesRow> static constexpr auto columns() {
    return std::make_tuple(column("id", &Row::id, "series id, from 0", "PRIMARY KEY"),
                           column("process_id", &Row::processId, "host_process.id; NULL if it belongs to the whole host"),
                           column("graph", &Row::graph, "name of the chart"),
                           column("name", &Row::name, "name of the series in its chart; empty if it is the only one"),
                           column("unit", &Row::unit, "unit of the values; empty if not known"),
                           column("samples", &Row::samples, "number of samples"),
                           column("first_tick", &Row::firstTick, "nanosecond of the first sample"),
                           column("last_tick", &Row::lastTick, "nanosecond of the last sample"),
                           column("min_value", &Row::minValue, "smallest value; 0 without samples"),
                           column("max_value", &Row::maxValue, "largest value; 0 without samples"));
  }
};

} // namespace reports

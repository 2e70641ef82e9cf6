// Table `host_process`: A process of the host timeline.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct HostProcessRow {
  int64_t id = 0;
  std::string name;
  std::optional<int64_t> pid;
  std::string provenance;
  std::optional<int64_t> startUnixNanoseconds;
  std::optional<std::string> clock;
  std::optional<int64_t> clockStartNanoseconds;

  static constexpr std::string_view kTable = "host_process";
  static constexpr std::string_view kMeaning = "A process of the host timeline.";
  template<class Row = HostProcessRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "process id within the report, from 0", "PRIMARY KEY"),
        column("name", &Row::name, "name for people"), column("pid", &Row::pid, "operating-system pid; NULL if unknown"),
        column("provenance", &Row::provenance, "measured, simulated or imported"),
        column("start_unix_nanoseconds", &Row::startUnixNanoseconds,
               "wall-clock time of tick 0 of its tracks, nanoseconds since 1970; NULL if unknown"),
        column("clock", &Row::clock,
               "clock of its times: unix, monotonic, monotonic_raw, boottime, realtime, trace (the file's own); NULL if unknown"),
        column("clock_start_nanoseconds", &Row::clockStartNanoseconds,
               "value of that clock at tick 0, nanoseconds; NULL if unknown"));
  }
};

} // namespace reports

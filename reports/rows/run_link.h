// Table `run_link`: The host slice that started a run of the device, and when the run was in host time.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct RunLinkRow {
  int64_t runId = 0;
  int64_t trackId = 0;
  int64_t depth = 0;
  int64_t slice = 0;
  int64_t startTick = 0;
  int64_t endTick = 0;

  static constexpr std::string_view kTable = "run_link";
  static constexpr std::string_view kMeaning =
      "The host slice that started a run of the device, and when the run was in host time: it relates the two clocks.";
  template<class Row = RunLinkRow> static constexpr auto columns() {
    return std::make_tuple(
        column("run_id", &Row::runId, "run.id", "PRIMARY KEY"), column("track_id", &Row::trackId, "track.id of the host slice"),
        column("depth", &Row::depth, "depth of the host slice"),
        column("slice", &Row::slice, "number of the host slice within (track, depth), see flow_chunk"),
        column("start_tick", &Row::startTick, "nanosecond on the host track at which run.start_cycle is drawn"),
        column("end_tick", &Row::endTick, "nanosecond on the host track at which the last cycle of the run ends"));
  }
};

} // namespace reports

// Table `step_profile`: The cost of one program step on every tile; shared by all executions of the step that cost the same.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct StepProfileRow {
  int64_t id = 0;
  int64_t programStepId = 0;
  std::optional<int64_t> ipu;
  int64_t cycles = 0;
  int64_t executions = 0;
  int64_t activeTiles = 0;
  int64_t busyCycles = 0;
  int64_t bytesIn = 0;
  int64_t bytesOut = 0;
  int64_t flops = 0;
  int64_t firstTile = 0;
  int64_t tiles = 0;
  Blob cyclesByTile;
  std::optional<int64_t> sliceExecutions; // since version 8

  static constexpr std::string_view kTable = "step_profile";
  static constexpr std::string_view kMeaning =
      "The cost of one program step on every tile; shared by all executions of the step that cost the same.";
  template<class Row = StepProfileRow> static constexpr auto columns() {
    return std::make_tuple(column("id", &Row::id, "profile id, from 0", "PRIMARY KEY"),
                           column("program_step_id", &Row::programStepId, "program_step.id"),
                           column("ipu", &Row::ipu, "IPU of the profile; NULL if it covers all IPUs"),
                           column("cycles", &Row::cycles, "duration of the step: cycles of its slowest tile"),
                           column("executions", &Row::executions, "how often it ran"),
                           column("active_tiles", &Row::activeTiles, "tiles that worked"),
                           column("busy_cycles", &Row::busyCycles, "sum of cycles over tiles"),
                           column("bytes_in", &Row::bytesIn, "bytes received over all tiles"),
                           column("bytes_out", &Row::bytesOut, "bytes sent over all tiles"),
                           column("flops", &Row::flops, "floating-point operations of one execution"),
                           column("first_tile", &Row::firstTile, "tile of the first value of cycles_by_tile"),
                           column("tiles", &Row::tiles, "number of values"),
                           column("cycles_by_tile", &Row::cyclesByTile, "runs: busy cycles of each tile"),
                           column("slice_executions", &Row::sliceExecutions,
                                  "consecutive executions that each slice with this profile represents, if iterations of a loop "
                                  "were grouped; NULL: 1"));
  }
};

} // namespace reports

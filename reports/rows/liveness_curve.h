// Table `liveness_curve`: Bytes alive at each liveness step (each leaf step of the program in depth-first order).
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct LivenessCurveRow {
  std::string scope;
  int64_t steps = 0;
  int64_t alwaysLiveBytes = 0;
  int64_t peakBytes = 0;
  int64_t peakStep = 0;
  Blob notAlwaysLiveBytes;

  static constexpr std::string_view kTable = "liveness_curve";
  static constexpr std::string_view kMeaning =
      "Bytes alive at each liveness step (each leaf step of the program in depth-first order).";
  template<class Row = LivenessCurveRow> static constexpr auto columns() {
    return std::make_tuple(
        column("scope", &Row::scope, "all, ipu.<n> or tile.<n> (the fullest tile of the report)", "PRIMARY KEY"),
        column("steps", &Row::steps, "number of liveness steps"),
        column("always_live_bytes", &Row::alwaysLiveBytes, "bytes alive through the whole program"),
        column("peak_bytes", &Row::peakBytes, "largest not-always-live value"),
        column("peak_step", &Row::peakStep, "first step with that value"),
        column("not_always_live_bytes", &Row::notAlwaysLiveBytes,
               "delta: live bytes at each step without the always-live ones; includes temporaries that are made and freed within "
               "the step"));
  }
};

} // namespace reports

// Table `plan`: The choices of a planner.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct PlanRow {
  int64_t id = 0;
  int64_t debugContextId = 0;
  std::string method;
  std::string text;
  std::string detailsJson;
  int64_t predictedCycles = 0;
  int64_t temporaryBytes = 0;

  static constexpr std::string_view kTable = "plan";
  static constexpr std::string_view kMeaning = "The choices of a planner.";
  template<class Row = PlanRow> static constexpr auto columns() {
    return std::make_tuple(column("id", &Row::id, "plan id, from 0", "PRIMARY KEY"),
                           column("debug_context_id", &Row::debugContextId, "operation that was planned"),
                           column("method", &Row::method, "e.g. AMP, SLIC, VMAC, HMAC, outer product"),
                           column("text", &Row::text, "one line for people"),
                           column("details_json", &Row::detailsJson, "partition, grains, costs as a JSON object"),
                           column("predicted_cycles", &Row::predictedCycles, "cycles that the planner predicted"),
                           column("temporary_bytes", &Row::temporaryBytes, "bytes a tile needs for temporaries"));
  }
};

} // namespace reports

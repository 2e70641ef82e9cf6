// Table `liveness_step`: The program step of each liveness ordinal.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct LivenessStepRow {
  int64_t ordinal = 0;
  int64_t programStepId = 0;
  int64_t nameId = 0;

  static constexpr std::string_view kTable = "liveness_step";
  static constexpr std::string_view kMeaning = "The program step of each liveness ordinal.";
  template<class Row = LivenessStepRow> static constexpr auto columns() {
    return std::make_tuple(
        column("ordinal", &Row::ordinal, "0 is the first leaf step of the first control program", "PRIMARY KEY"),
        column("program_step_id", &Row::programStepId, "program_step.id"),
        column("name_id", &Row::nameId, "string id of its name"));
  }
};

} // namespace reports

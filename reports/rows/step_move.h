// Table `step_move`: Sources and targets of a step that copies several variables at once.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct StepMoveRow {
  int64_t programStepId = 0;
  int64_t fromVariableId = 0;
  int64_t toVariableId = 0;

  static constexpr std::string_view kTable = "step_move";
  static constexpr std::string_view kMeaning =
      "Sources and targets of a copy or exchange that moves several variables at once. Steps that read or write only one "
      "variable have no rows: the variables that they read are the sources of those that they write.";
  template<class Row = StepMoveRow> static constexpr auto columns() {
    return std::make_tuple(column("program_step_id", &Row::programStepId, "program_step.id of the copy or exchange"),
                           column("from_variable_id", &Row::fromVariableId, "variable.id that it reads"),
                           column("to_variable_id", &Row::toVariableId, "variable.id that gets elements of it"));
  }
};

} // namespace reports

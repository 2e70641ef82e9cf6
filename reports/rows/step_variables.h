// Table `step_variables`: The variables that a program step reads and writes: edges between operations follow from it.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct StepVariablesRow {
  int64_t programStepId = 0;
  int64_t readCount = 0;
  Blob reads;
  int64_t writtenCount = 0;
  Blob writes;

  static constexpr std::string_view kTable = "step_variables";
  static constexpr std::string_view kMeaning =
      "The variables that a program step reads and writes. Steps that use no variable, and control steps, have no row.";
  template<class Row = StepVariablesRow> static constexpr auto columns() {
    return std::make_tuple(column("program_step_id", &Row::programStepId, "program_step.id", "PRIMARY KEY"),
                           column("read_count", &Row::readCount, "number of variables that the step reads"),
                           column("reads", &Row::reads, "delta: variable.id, rising"),
                           column("written_count", &Row::writtenCount, "number of variables that the step writes"),
                           column("writes", &Row::writes, "delta: variable.id, rising"));
  }
};

} // namespace reports

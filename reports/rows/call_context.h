// Table `call_context`: The operations for which a call runs the operations of a function.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct CallContextRow {
  int64_t programStepId = 0;
  int64_t functionContextId = 0;
  int64_t callerContextId = 0;

  static constexpr std::string_view kTable = "call_context";
  static constexpr std::string_view kMeaning =
      "For each call of a function: the caller's operation for which each operation of the function runs. A function that "
      "several layers share has the debug contexts of the first layer. Operations of the function that are not listed run for "
      "themselves.";
  template<class Row = CallContextRow> static constexpr auto columns() {
    return std::make_tuple(
        column("program_step_id", &Row::programStepId, "program_step.id of the Call"),
        column("function_context_id", &Row::functionContextId, "debug_context.id of an operation in the function"),
        column("caller_context_id", &Row::callerContextId, "debug_context.id of the operation for which it runs"));
  }
};

} // namespace reports

// Table `program_step`: The lowered program tree: control programs, functions and their steps.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct ProgramStepRow {
  int64_t id = 0;
  std::optional<int64_t> parentId;
  int64_t position = 0;
  std::string kind;
  int64_t nameId = 0;
  std::optional<int64_t> debugContextId;
  int64_t activity = 0;
  std::optional<int64_t> computeSetId;
  std::optional<int64_t> exchangeId;
  std::optional<int64_t> repeatCount;
  std::optional<int64_t> calleeId;
  std::optional<int64_t> livenessStep;
  int64_t codeBytes = 0;
  std::optional<int64_t> controlCodeId;

  static constexpr std::string_view kTable = "program_step";
  static constexpr std::string_view kMeaning = "The lowered program tree: control programs, functions and their steps.";
  template<class Row = ProgramStepRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "step id, depth-first from 0", "PRIMARY KEY"),
        column("parent_id", &Row::parentId, "enclosing step; NULL for a root"),
        column("position", &Row::position, "place among its siblings"),
        column("kind", &Row::kind,
               "ControlProgram, Function, Sequence, Repeat, OnTileExecute, OnTileCopy, DoExchange, GlobalExchange, "
               "StreamCopyBegin, StreamCopyMid, StreamCopyEnd, Sync, Call, If, Switch, RepeatWhile, WriteUndef, "
               "PrintTensor, …"),
        column("name_id", &Row::nameId, "string id of the full name (slash path)"),
        column("debug_context_id", &Row::debugContextId, "debug_context.id of its origin; NULL for control code between steps"),
        column("activity", &Row::activity, "reports::Activity of the step; 8 (scope) for control steps"),
        column("compute_set_id", &Row::computeSetId, "for OnTileExecute and OnTileCopy"),
        column("exchange_id", &Row::exchangeId, "for exchanges and stream copies"),
        column("repeat_count", &Row::repeatCount, "for Repeat: iterations"),
        column("callee_id", &Row::calleeId, "for Call: program_step.id of the function"),
        column("liveness_step", &Row::livenessStep, "ordinal in the liveness curve; NULL for control steps"),
        column("code_bytes", &Row::codeBytes, "control code of the step over all tiles, bytes"),
        column(
            "control_code_id", &Row::controlCodeId,
            "control_code.id: its control code by tile; NULL for steps without control code, and in reports that lack the data"));
  }
};

} // namespace reports

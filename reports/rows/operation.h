// Table `operation`: Totals by operation: one row per debug context that stands for an operation (an ONNX node, a library call of a sample).
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct OperationRow {
  int64_t id = 0;
  int64_t debugContextId = 0;
  std::string name;
  std::string kind;
  int64_t computeCycles = 0;
  int64_t exchangeCycles = 0;
  int64_t syncCycles = 0;
  int64_t hostCycles = 0;
  int64_t flops = 0;
  int64_t vertices = 0;
  int64_t exchangeBytes = 0;
  int64_t codeBytes = 0;
  int64_t variableBytes = 0;
  std::optional<double> balance;

  static constexpr std::string_view kTable = "operation";
  static constexpr std::string_view kMeaning =
      "Totals by operation: one row per debug context that stands for an operation (an ONNX node, a library call"
      " of a sample).";
  static constexpr auto columns() {
    return std::make_tuple(
        column("id", &OperationRow::id, "operation id, in program order, from 0", "PRIMARY KEY"),
        column("debug_context_id", &OperationRow::debugContextId, "debug_context.id"),
        column("name", &OperationRow::name, "full name, the key for comparing reports"),
        column("kind", &OperationRow::kind, "operator type or library call"),
        column("compute_cycles", &OperationRow::computeCycles, "cycles of its compute and on-tile copy steps over the run"),
        column("exchange_cycles", &OperationRow::exchangeCycles, "cycles of its exchange steps"),
        column("sync_cycles", &OperationRow::syncCycles, "cycles of the syncs before its steps"),
        column("host_cycles", &OperationRow::hostCycles, "cycles of its stream copies"),
        column("flops", &OperationRow::flops, "floating-point operations executed"),
        column("vertices", &OperationRow::vertices, "vertices in its compute sets; of a function, its part"),
        column("exchange_bytes", &OperationRow::exchangeBytes, "bytes received by tiles in its exchanges over the run"),
        column("code_bytes", &OperationRow::codeBytes,
               "exchange and control code of its steps, bytes over all tiles (vertex code is shared); of a function that several "
               "operations call, its part"),
        column("variable_bytes", &OperationRow::variableBytes,
               "bytes of the variables it made, over all tiles; of a function, its part"),
        column("balance", &OperationRow::balance,
               "mean cycles of the tiles that compute over the slowest one's, weighted by steps, 0 to 1; NULL if it does no "
               "compute"));
  }
};

} // namespace reports

// Table `operation`: Totals by operation: one row per debug context that stands for an operation (an ONNX node, a library call of
// a sample).
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
  template<class Row = OperationRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "operation id, in program order, from 0", "PRIMARY KEY"),
        column("debug_context_id", &Row::debugContextId, "debug_context.id"),
        column("name", &Row::name, "full name, the key for comparing reports"),
        column("kind", &Row::kind, "operator type or library call"),
        column("compute_cycles", &Row::computeCycles, "cycles of its compute and on-tile copy steps over the run"),
        column("exchange_cycles", &Row::exchangeCycles, "cycles of its exchange steps"),
        column("sync_cycles", &Row::syncCycles, "cycles of the syncs before its steps"),
        column("host_cycles", &Row::hostCycles, "cycles of its stream copies"),
        column("flops", &Row::flops, "floating-point operations executed"),
        column("vertices", &Row::vertices, "vertices in its compute sets; for a shared function, its share"),
        column("exchange_bytes", &Row::exchangeBytes, "bytes received by tiles in its exchanges over the run"),
        column("code_bytes", &Row::codeBytes,
               "exchange and control code of its steps, bytes over all tiles (vertex code is shared); for a function that "
               "several operations call, its share"),
        column("variable_bytes", &Row::variableBytes,
               "bytes of the variables it made, over all tiles; for a shared function, its share"),
        column("balance", &Row::balance,
               "mean cycles of the tiles that compute / cycles of the slowest tile, weighted by the cycles of the steps, 0 to 1; "
               "NULL if it computes nothing"));
  }
};

} // namespace reports

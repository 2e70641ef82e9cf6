// Table `compute_set`: A set of vertices that run in one superstep.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct ComputeSetRow {
  int64_t id = 0;
  int64_t nameId = 0;
  std::optional<int64_t> debugContextId;
  int64_t vertices = 0;
  int64_t edges = 0;
  int64_t activeTiles = 0;
  int64_t maxCycles = 0;
  int64_t totalCycles = 0;
  int64_t workerCycles = 0;
  int64_t flops = 0;

  static constexpr std::string_view kTable = "compute_set";
  static constexpr std::string_view kMeaning = "A set of vertices that run in one superstep.";
  template<class Row = ComputeSetRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "compute set id, from 0", "PRIMARY KEY"), column("name_id", &Row::nameId, "string id"),
        column("debug_context_id", &Row::debugContextId, "debug_context.id of its origin"),
        column("vertices", &Row::vertices, "number of vertices"), column("edges", &Row::edges, "number of edges"),
        column("active_tiles", &Row::activeTiles, "tiles with at least one vertex"),
        column("max_cycles", &Row::maxCycles, "cycles of the slowest tile, in the longest execution"),
        column("total_cycles", &Row::totalCycles, "sum of cycles over tiles; the mean over executions if they differ"),
        column("worker_cycles", &Row::workerCycles,
               "worker cycles, summed over vertices: tile cycles excluding idle threads x 6"),
        column("flops", &Row::flops, "floating-point operations"));
  }
};

} // namespace reports

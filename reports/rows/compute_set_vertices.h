// Table `compute_set_vertices`: The vertices of one type in one compute set.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct ComputeSetVerticesRow {
  int64_t computeSetId = 0;
  int64_t vertexTypeId = 0;
  int64_t vertices = 0;
  int64_t cycles = 0;
  int64_t flops = 0;
  int64_t stateBytes = 0;
  int64_t edgePointerBytes = 0;
  int64_t descriptorBytes = 0;
  Blob verticesByTile;
  std::optional<std::string> cyclesFrom;

  static constexpr std::string_view kTable = "compute_set_vertices";
  static constexpr std::string_view kMeaning = "The vertices of one type in one compute set.";
  template<class Row = ComputeSetVerticesRow> static constexpr auto columns() {
    return std::make_tuple(
        column("compute_set_id", &Row::computeSetId, "compute_set.id"),
        column("vertex_type_id", &Row::vertexTypeId, "vertex_type.id"), column("vertices", &Row::vertices, "number of vertices"),
        column("cycles", &Row::cycles,
               "tile cycles of these vertices in one execution, summed over tiles; the mean over executions if they differ"),
        column("flops", &Row::flops, "floating-point operations"),
        column("state_bytes", &Row::stateBytes, "vertex state, bytes over all tiles"),
        column("edge_pointer_bytes", &Row::edgePointerBytes, "part of the state that is edge pointers"),
        column("descriptor_bytes", &Row::descriptorBytes, "vectors of field data and copy descriptors, bytes over all tiles"),
        column("vertices_by_tile", &Row::verticesByTile, "runs: vertices on each tile, ipus*tiles_per_ipu values"),
        column("cycles_from", &Row::cyclesFrom,
               "source of `cycles`: formula, given (by the program) or code (estimated from the code; functions without a known "
               "price follow, as in: code, without a price: a, b); NULL if unknown"));
  }
};

} // namespace reports

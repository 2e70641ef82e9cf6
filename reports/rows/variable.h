// Table `variable`: A variable of the graph (before lowering).
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct VariableRow {
  int64_t id = 0;
  int64_t nameId = 0;
  std::optional<int64_t> debugContextId;
  int64_t category = 0;
  std::string elementType;
  std::string shape;
  int64_t elements = 0;
  int64_t totalBytes = 0;
  int64_t maxTileBytes = 0;
  int64_t tiles = 0;
  int64_t alwaysLive = 0;
  Blob liveIntervals;
  int64_t liveIntervalCount = 0;
  int64_t alignmentBytes = 0;
  std::optional<int64_t> demandsId;

  static constexpr std::string_view kTable = "variable";
  static constexpr std::string_view kMeaning = "A variable of the graph (before lowering).";
  template<class Row = VariableRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "variable id, from 0", "PRIMARY KEY"), column("name_id", &Row::nameId, "string id"),
        column("debug_context_id", &Row::debugContextId, "debug_context.id of its origin"),
        column("category", &Row::category, "reports::MemoryCategory"),
        column("element_type", &Row::elementType, "half, float, int, …; empty for storage made by the compiler"),
        column("shape", &Row::shape, "e.g. 16x28x28; empty for storage made by the compiler"),
        column("elements", &Row::elements, "number of elements"), column("total_bytes", &Row::totalBytes, "bytes over all tiles"),
        column("max_tile_bytes", &Row::maxTileBytes, "bytes on the tile that holds most of it"),
        column("tiles", &Row::tiles, "number of tiles that hold a part"),
        column("always_live", &Row::alwaysLive, "1 if live through the whole program"),
        column("live_intervals", &Row::liveIntervals,
               "delta: pairs first, end (half-open) of liveness ordinals; empty if always live"),
        column("live_interval_count", &Row::liveIntervalCount, "number of pairs"),
        column("alignment_bytes", &Row::alignmentBytes, "alignment: its address on a tile is a multiple of this; 0 if unknown"),
        column("demands_id", &Row::demandsId, "string id: the vertex fields that constrain its address; NULL if none"));
  }
};

} // namespace reports

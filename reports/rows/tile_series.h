// Table `tile_series`: One number per tile.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct TileSeriesRow {
  std::string name;
  std::string unit;
  int64_t sum = 0;
  int64_t max = 0;
  int64_t maxTile = 0;
  int64_t tiles = 0;
  Blob byTile;

  static constexpr std::string_view kTable = "tile_series";
  static constexpr std::string_view kMeaning =
      "One number per tile. Names: memory.total (excluding gaps), memory.total_with_gaps, memory.overflow, "
      "memory.always_live, memory.peak_not_always_live, memory.region.non_interleaved, "
      "memory.region.interleaved, memory.category.<name>, cycles.compute, cycles.exchange (of all runs), exchange.bytes_in, "
      "exchange.bytes_out (of one execution of each exchange).";
  template<class Row = TileSeriesRow> static constexpr auto columns() {
    return std::make_tuple(
        column("name", &Row::name, "what is counted", "PRIMARY KEY"), column("unit", &Row::unit, "byte or cycle"),
        column("sum", &Row::sum, "sum over tiles"), column("max", &Row::max, "largest value"),
        column("max_tile", &Row::maxTile, "first tile that holds the largest value"),
        column("tiles", &Row::tiles, "number of values"), column("by_tile", &Row::byTile, "runs: value of each tile"));
  }
};

} // namespace reports

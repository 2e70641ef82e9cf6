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
  static constexpr auto columns() {
    return std::make_tuple(column("name", &TileSeriesRow::name, "what is counted", "PRIMARY KEY"),
                           column("unit", &TileSeriesRow::unit, "byte or cycle"),
                           column("sum", &TileSeriesRow::sum, "sum over tiles"),
                           column("max", &TileSeriesRow::max, "largest value"),
                           column("max_tile", &TileSeriesRow::maxTile, "first tile that holds the largest value"),
                           column("tiles", &TileSeriesRow::tiles, "number of values"),
                           column("by_tile", &TileSeriesRow::byTile, "runs: value of each tile"));
  }
};

} // namespace reports

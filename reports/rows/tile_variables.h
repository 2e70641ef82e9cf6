// Table `tile_variables`: The lowered variables of one tile in address order: where every byte of it is.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct TileVariablesRow {
  int64_t tile = 0;
  int64_t lowered = 0;
  Blob variables;
  Blob addresses;
  Blob sizes;
  Blob ownBytes;
  Blob reasons;
  Blob reasonVariables;

  static constexpr std::string_view kTable = "tile_variables";
  static constexpr std::string_view kMeaning = "The lowered variables of one tile in address order: where every byte of it is.";
  template<class Row = TileVariablesRow> static constexpr auto columns() {
    return std::make_tuple(
        column("tile", &Row::tile, "tile, ipu * tiles_per_ipu + tile of the IPU", "PRIMARY KEY"),
        column("lowered", &Row::lowered, "number of lowered variables"),
        column("variables", &Row::variables, "delta: variable.id"),
        column("addresses", &Row::addresses, "delta: offset of the first byte from the start of tile memory"),
        column("sizes", &Row::sizes, "varint: bytes"),
        column("own_bytes", &Row::ownBytes,
               "varint: bytes not already counted for an earlier entry at the same addresses (variables that are "
               "never live together share memory); the sum is the memory of the tile excluding gaps"),
        column("reasons", &Row::reasons,
               "varint: reason for the address: 0 lowest address, 1 after another live variable, 2 moved up by its alignment, 3 "
               "interleaved region requested, 4 kept apart from another variable's memory element, 5 shares memory, 6 fills a "
               "gap; empty if unknown"),
        column("reason_variables", &Row::reasonVariables,
               "varint: 1 + the variable.id that the reason names, 0 for none; empty if unknown"));
  }
};

} // namespace reports

// Table `exchange_operand`: The layout of an operand before an exchange, and the layout that the receivers want.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct ExchangeOperandRow {
  int64_t exchangeId = 0;
  int64_t position = 0;
  std::optional<int64_t> variableId;
  int64_t bytes = 0;
  std::string heldAs;
  int64_t heldTiles = 0;
  std::string wantedAs;
  int64_t wantedTiles = 0;

  static constexpr std::string_view kTable = "exchange_operand";
  static constexpr std::string_view kMeaning =
      "Why an operand moves in an exchange: its layout on the tiles before the exchange, and the layout that the receivers need. "
      "Exchanges whose planner does not give the layouts have no rows.";
  template<class Row = ExchangeOperandRow> static constexpr auto columns() {
    return std::make_tuple(
        column("exchange_id", &Row::exchangeId, "exchange.id"),
        column("position", &Row::position, "number of the operand in its exchange, from 0"),
        column("variable_id", &Row::variableId,
               "variable.id of the operand; NULL for a view of several variables, or if the planner does not give it"),
        column("bytes", &Row::bytes, "bytes of the operand that tiles receive from other tiles"),
        column("held_as", &Row::heldAs,
               "layout before the exchange: the dimensions and their parts (rows in 16, columns in 4), or whole; empty: unknown"),
        column("held_tiles", &Row::heldTiles, "tiles that hold a part"),
        column("wanted_as", &Row::wantedAs,
               "layout that the receivers need, in the same form; whole: each needs all of it; empty: unknown"),
        column("wanted_tiles", &Row::wantedTiles, "tiles that need a part"));
  }
};

} // namespace reports

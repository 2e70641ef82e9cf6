// Table `control_code`: Control code of a program step on each tile. Steps with equal code on the same tiles share a row.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct ControlCodeRow {
  int64_t id = 0;
  Blob byTile;

  static constexpr std::string_view kTable = "control_code";
  static constexpr std::string_view kMeaning =
      "Control code of a program step on each tile. Steps with equal code on the same tiles share a row.";
  template<class Row = ControlCodeRow> static constexpr auto columns() {
    return std::make_tuple(column("id", &Row::id, "from 0", "PRIMARY KEY"),
                           column("by_tile", &Row::byTile, "runs: bytes of control code on each tile"));
  }
};

} // namespace reports

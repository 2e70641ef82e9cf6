// Table `string`: Every name, stored once; other tables refer to it by id.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct StringRow {
  int64_t id = 0;
  std::string text;

  static constexpr std::string_view kTable = "string";
  static constexpr std::string_view kMeaning = "Every name, stored once; other tables refer to it by id.";
  template<class Row = StringRow> static constexpr auto columns() {
    return std::make_tuple(column("id", &Row::id, "string id, from 0", "PRIMARY KEY"), column("text", &Row::text, "UTF-8 text"));
  }
};

} // namespace reports

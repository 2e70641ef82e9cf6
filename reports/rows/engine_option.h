// Table `engine_option`: Options of the engine under their Poplar names.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct EngineOptionRow {
  std::string key;
  std::string value;
  int64_t isDefault = 0;

  static constexpr std::string_view kTable = "engine_option";
  static constexpr std::string_view kMeaning = "Options of the engine under their Poplar names.";
  template<class Row = EngineOptionRow> static constexpr auto columns() {
    return std::make_tuple(column("key", &Row::key, "option name", "PRIMARY KEY"), column("value", &Row::value, "its value"),
                           column("is_default", &Row::isDefault, "1 if the user did not set it"));
  }
};

} // namespace reports

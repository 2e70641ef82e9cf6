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
  static constexpr auto columns() {
    return std::make_tuple(column("key", &EngineOptionRow::key, "option name", "PRIMARY KEY"),
                           column("value", &EngineOptionRow::value, "its value"),
                           column("is_default", &EngineOptionRow::isDefault, "1 if the user did not set it"));
  }
};

} // namespace reports

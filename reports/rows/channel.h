// Table `channel`: Channels (categories) of host slices.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct ChannelRow {
  int64_t id = 0;
  std::string name;

  static constexpr std::string_view kTable = "channel";
  static constexpr std::string_view kMeaning = "Channels (categories) of host slices.";
  template<class Row = ChannelRow> static constexpr auto columns() {
    return std::make_tuple(column("id", &Row::id, "channel id, 0 to 254", "PRIMARY KEY"),
                           column("name", &Row::name, "channel name"));
  }
};

} // namespace reports

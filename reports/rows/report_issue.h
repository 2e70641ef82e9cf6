// Table `report_issue`: Problems: odd or skipped input, and whatever did not fit. Nothing is skipped silently.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct ReportIssueRow {
  int64_t id = 0;
  std::string severity;
  std::string place;
  std::string message;
  std::string advice;
  int64_t count = 0;

  static constexpr std::string_view kTable = "report_issue";
  static constexpr std::string_view kMeaning =
      "Problems: odd or skipped input, and whatever did not fit. Nothing is skipped silently.";
  template<class Row = ReportIssueRow> static constexpr auto columns() {
    return std::make_tuple(column("id", &Row::id, "from 0", "PRIMARY KEY"),
                           column("severity", &Row::severity, "notice, warning or error"),
                           column("place", &Row::place, "file, node, tile or step"), column("message", &Row::message, "what"),
                           column("advice", &Row::advice, "what to do; may be empty"), column("count", &Row::count, "how often"));
  }
};

} // namespace reports

// Table `stream_copy`: A program step that moves a stream.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct StreamCopyRow {
  int64_t programStepId = 0;
  int64_t streamId = 0;
  int64_t bytes = 0;
  int64_t executions = 0;

  static constexpr std::string_view kTable = "stream_copy";
  static constexpr std::string_view kMeaning = "A program step that moves a stream.";
  template<class Row = StreamCopyRow> static constexpr auto columns() {
    return std::make_tuple(column("program_step_id", &Row::programStepId, "the StreamCopyMid step", "PRIMARY KEY"),
                           column("stream_id", &Row::streamId, "stream.id"),
                           column("bytes", &Row::bytes, "bytes of one execution"),
                           column("executions", &Row::executions, "how often it ran"));
  }
};

} // namespace reports

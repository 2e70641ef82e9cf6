// Table `host_thread`: A thread of a host process; its slices are on one track.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct HostThreadRow {
  int64_t id = 0;
  int64_t processId = 0;
  std::string name;
  int64_t trackId = 0;
  std::optional<int64_t> tid;
  std::optional<int64_t> sortOrder;
  std::optional<std::string> kind;

  static constexpr std::string_view kTable = "host_thread";
  static constexpr std::string_view kMeaning = "A thread of a host process; its slices are on one track.";
  template<class Row = HostThreadRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "thread id within the report, from 0", "PRIMARY KEY"),
        column("process_id", &Row::processId, "host_process.id"), column("name", &Row::name, "name for people"),
        column("track_id", &Row::trackId, "track.id that holds its slices"),
        column("tid", &Row::tid, "operating-system thread id; NULL if unknown"),
        column("sort_order", &Row::sortOrder,
               "position among the threads that the trace file requests, smallest first; NULL if it requests none"),
        column("kind", &Row::kind,
               "async (work that does not belong to a single thread), object, frame or sample (call stacks); NULL for a thread"));
  }
};

} // namespace reports

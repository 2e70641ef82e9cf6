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
  static constexpr auto columns() {
    return std::make_tuple(
        column("id", &HostThreadRow::id, "thread id within the report, from 0", "PRIMARY KEY"),
        column("process_id", &HostThreadRow::processId, "host_process.id"),
        column("name", &HostThreadRow::name, "name for people"),
        column("track_id", &HostThreadRow::trackId, "track.id that holds its slices"),
        column("tid", &HostThreadRow::tid, "operating-system thread id; NULL if unknown"),
        column("sort_order", &HostThreadRow::sortOrder, "place the file asks for, small first; NULL for none"),
        column("kind", &HostThreadRow::kind,
               "async (work that is of no one thread), object, frame or sample (call stacks); NULL for a thread"));
  }
};

} // namespace reports

// Table `track`: A row of a timeline: slices nested in depths.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct TrackRow {
  int64_t id = 0;
  std::string kind;
  std::string name;
  std::optional<int64_t> ipu;
  std::string tickUnit;
  int64_t depths = 0;
  int64_t slices = 0;
  int64_t firstTick = 0;
  int64_t endTick = 0;
  std::string provenance;

  static constexpr std::string_view kTable = "track";
  static constexpr std::string_view kMeaning =
      "A row of a timeline: slices nested in depths. Slices of one (track, depth) are disjoint.";
  template<class Row = TrackRow> static constexpr auto columns() {
    return std::make_tuple(
        column("id", &Row::id, "track id, from 0", "PRIMARY KEY"),
        column("kind", &Row::kind,
               "ipu (execution of one IPU; of its compute tiles if it has I/O tiles), ipu_io (of its I/O tiles) or host_thread"),
        column("name", &Row::name, "name for people"),
        column("ipu", &Row::ipu, "IPU index for kinds ipu and ipu_io; NULL otherwise"),
        column("tick_unit", &Row::tickUnit, "cycle or nanosecond"), column("depths", &Row::depths, "number of depths"),
        column("slices", &Row::slices, "number of slices over all depths"),
        column("first_tick", &Row::firstTick, "start of the earliest slice"),
        column("end_tick", &Row::endTick, "end of the latest slice"),
        column("provenance", &Row::provenance, "simulated, estimated, measured or imported"));
  }
};

} // namespace reports

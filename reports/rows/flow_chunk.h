// Table `flow_chunk`: Up to 16,384 arrows from a host slice or instant to another.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct FlowChunkRow {
  int64_t chunk = 0;
  int64_t flows = 0;
  int64_t firstTick = 0;
  int64_t lastTick = 0;
  Blob names;
  Blob categories;
  Blob fromTracks;
  Blob fromDepths;
  Blob fromSlices;
  Blob fromTicks;
  Blob toTracks;
  Blob toDepths;
  Blob toSlices;
  Blob toTicks;
  std::optional<Blob> numbers;  // since version 6
  std::optional<Blob> instants; // since version 12

  static constexpr std::string_view kTable = "flow_chunk";
  static constexpr std::string_view kMeaning =
      "Up to 16,384 arrows from a host slice or instant to another, in order of from_ticks. A slice is identified by its track, "
      "its depth and its number within both: 16,384 * slice_chunk.chunk + its index in the chunk. An instant is identified by "
      "its track and its number: 16,384 * instant_chunk.chunk + its index in the chunk; its depth is 0.";
  template<class Row = FlowChunkRow> static constexpr auto columns() {
    return std::make_tuple(
        column("chunk", &Row::chunk, "from 0", "PRIMARY KEY"), column("flows", &Row::flows, "number of arrows"),
        column("first_tick", &Row::firstTick, "smallest tick at which an arrow of the chunk begins or ends"),
        column("last_tick", &Row::lastTick, "largest tick at which an arrow of the chunk begins or ends"),
        column("names", &Row::names, "varint string id"), column("categories", &Row::categories, "one byte each: channel.id"),
        column("from_tracks", &Row::fromTracks, "delta: track.id of the slice that the arrow leaves"),
        column("from_depths", &Row::fromDepths, "varint: depth of that slice"),
        column("from_slices", &Row::fromSlices, "delta: number of that slice"),
        column("from_ticks", &Row::fromTicks, "delta: tick at which the arrow leaves that slice"),
        column("to_tracks", &Row::toTracks, "delta: track.id of the slice that the arrow reaches"),
        column("to_depths", &Row::toDepths, "varint: depth of that slice"),
        column("to_slices", &Row::toSlices, "delta: number of that slice"),
        column("to_ticks", &Row::toTicks, "delta: tick at which the arrow reaches that slice"),
        column("numbers", &Row::numbers, "delta: number of the flow, from 0; arrows with the same number form one flow"),
        column("instants", &Row::instants,
               "one byte per arrow: 1 if it leaves an instant, 2 if it reaches one, 3 for both, 0 for neither; NULL if all "
               "arrows lead from slice to slice"));
  }
};

} // namespace reports

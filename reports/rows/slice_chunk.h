// Table `slice_chunk`: Up to 16,384 consecutive slices of one (track, depth), packed by column.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct SliceChunkRow {
  int64_t trackId = 0;
  int64_t depth = 0;
  int64_t chunk = 0;
  int64_t slices = 0;
  int64_t firstTick = 0;
  int64_t endTick = 0;
  Blob gaps;
  Blob durations;
  Blob names;
  Blob categories;
  Blob refs;

  static constexpr std::string_view kTable = "slice_chunk";
  static constexpr std::string_view kMeaning = "Up to 16,384 consecutive slices of one (track, depth), packed by column.";
  template<class Row = SliceChunkRow> static constexpr auto columns() {
    return std::make_tuple(
        column("track_id", &Row::trackId, "track.id"), column("depth", &Row::depth, "depth, 0 outermost"),
        column("chunk", &Row::chunk, "number within (track, depth), from 0"), column("slices", &Row::slices, "number of slices"),
        column("first_tick", &Row::firstTick, "start of the first slice"),
        column("end_tick", &Row::endTick, "end of the last slice"),
        column("gaps", &Row::gaps, "varint: start minus the end of the previous slice (for the first: minus first_tick)"),
        column("durations", &Row::durations, "varint ticks"), column("names", &Row::names, "varint string id"),
        column("categories", &Row::categories,
               "one byte each: reports::Activity for kinds ipu and ipu_io, channel.id for host_thread"),
        column("refs", &Row::refs,
               "delta: step_profile.id for steps of an IPU, debug_context.id for scopes, details id (see "
               "details_chunk) for host slices, -1 for none"));
  }
};

} // namespace reports

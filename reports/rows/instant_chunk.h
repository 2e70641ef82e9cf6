// Table `instant_chunk`: Up to 16,384 consecutive instant events of one track, packed by column.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct InstantChunkRow {
  int64_t trackId = 0;
  int64_t chunk = 0;
  int64_t instants = 0;
  int64_t firstTick = 0;
  int64_t lastTick = 0;
  Blob gaps;
  Blob names;
  Blob categories;
  Blob scopes;
  Blob refs;

  static constexpr std::string_view kTable = "instant_chunk";
  static constexpr std::string_view kMeaning = "Up to 16,384 consecutive instant events of one track, in order of time.";
  template<class Row = InstantChunkRow> static constexpr auto columns() {
    return std::make_tuple(
        column("track_id", &Row::trackId, "track.id"), column("chunk", &Row::chunk, "number within the track, from 0"),
        column("instants", &Row::instants, "number of instants"),
        column("first_tick", &Row::firstTick, "tick of the first instant"),
        column("last_tick", &Row::lastTick, "tick of the last instant"),
        column("gaps", &Row::gaps, "varint: tick minus the previous instant's tick (for the first: minus first_tick)"),
        column("names", &Row::names, "varint string id"), column("categories", &Row::categories, "one byte each: channel.id"),
        column("scopes", &Row::scopes, "one byte per instant, its scope: 0 its thread, 1 the process, 2 the whole trace"),
        column("refs", &Row::refs, "delta: details id (see details_chunk), -1 for none"));
  }
};

} // namespace reports

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
  static constexpr auto columns() {
    return std::make_tuple(
        column("track_id", &InstantChunkRow::trackId, "track.id"),
        column("chunk", &InstantChunkRow::chunk, "number within the track, from 0"),
        column("instants", &InstantChunkRow::instants, "number of instants"),
        column("first_tick", &InstantChunkRow::firstTick, "tick of the first instant"),
        column("last_tick", &InstantChunkRow::lastTick, "tick of the last instant"),
        column("gaps", &InstantChunkRow::gaps, "varint: tick minus that of the instant before (minus first_tick for the first)"),
        column("names", &InstantChunkRow::names, "varint string id"),
        column("categories", &InstantChunkRow::categories, "one byte each: channel.id"),
        column("scopes", &InstantChunkRow::scopes, "one byte each: 0 of its thread, 1 of the process, 2 of the whole trace"),
        column("refs", &InstantChunkRow::refs, "delta: details id (see details_chunk), -1 for none"));
  }
};

} // namespace reports

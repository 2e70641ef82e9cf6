// Turns slices into the packed chunks and the time pyramid of one track (tables slice_chunk, slice_level, track), while they
// arrive. The pyramid's base starts fine and is coarsened when it grows beyond one bucket per 64 slices, so memory stays below
// about 150 MB for 10^8 slices of one (track, depth) and below 1 MB for a short one.
#pragma once

#include "reports/rows/report_sink.h"

#include <memory>
#include <vector>

namespace reports {

inline constexpr int64_t kSlicesPerChunk = 16384;
inline constexpr int64_t kMaxTick = int64_t(1) << 62; // later ticks are clipped, so that the sum of two never overflows
inline constexpr int kMaxDepth = 4096;                // deeper slices are put on the last depth and reported

class SliceTrackBuilder {
public:
  // `header` gives id, kind, name, ipu, tickUnit and provenance; depths, slices, firstTick and endTick are counted here.
  SliceTrackBuilder(ReportSink& sink, TrackRow header);
  ~SliceTrackBuilder();
  SliceTrackBuilder(SliceTrackBuilder&&) noexcept;
  SliceTrackBuilder& operator=(SliceTrackBuilder&&) noexcept;
  // A copy of all slices so far, to finish in a second report. Its sink must have the chunks written so far; both builders can
  // continue.
  SliceTrackBuilder copyTo(ReportSink& sink) const;

  // Slices of one depth come in order of start and do not overlap; depths may interleave. A slice that violates this (overlap,
  // negative start or duration, beyond kMaxTick) is clipped to the nearest valid slice and counted in a report_issue. `category`:
  // reports::Activity for kinds ipu and ipu_io, channel.id for host_thread. `ref`: see slice_chunk.refs; -1 for none.
  void add(int depth, int64_t startTick, int64_t durationTicks, int64_t nameId, uint8_t category, int64_t ref = -1);

  // Writes the remaining slices, the pyramid, the issues and the track row, which it returns. Call once, as the last call.
  TrackRow finish();

  const TrackRow& track() const; // counts so far

private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace reports

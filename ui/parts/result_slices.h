// Draws the rows of a query as slices on a timeline. One column has the begins, another one the ends or durations. Each value of
// a column such as "track" or "thread" is a track.
#pragma once

#include "analyser/query/query.h"
#include "ui/plot/slice_source.h"
#include "ui/theme/format.h"

#include <map>
#include <memory>
#include <optional>

namespace ui::shell {

// By track id: true for threads of the host (ticks are nanoseconds), false for IPUs (ticks are cycles).
using HostTracks = std::map<int64_t, bool>;
HostTracks hostTracks(analyser::Session& session);

// The columns that a timeline needs; by index, -1: none.
struct SpanColumns {
  enum class Unit { Unknown, Cycles, Nanoseconds };
  int begin = -1, end = -1, duration = -1, name = -1, track = -1;
  Unit unit = Unit::Unknown; // from the names of the columns, else from the tracks
};
// Finds these columns. Nullopt if no column is a begin, or if none is an end or a duration.
std::optional<SpanColumns> spanColumns(const analyser::query::Result& result, const HostTracks& tracks);

// Slices laid on lanes.
class ResultSlices : public plot::SliceSource {
public:
  using Unit = SpanColumns::Unit;
  ResultSlices(const analyser::query::Result& result, const SpanColumns& columns);
  void setFormat(const theme::Format& format) { m_format = format; }
  // The axis of the timeline above it. Default: from the first begin to the last end.
  void alignWith(reports::TickRange extent) { m_extent = extent, m_isAligned = true; }
  Unit unit() const { return m_unit; }
  // Says how many rows are not drawn or are merged into another row's slice, and why; empty if each row has its own slice.
  QString note() const;
  bool isEmpty() const { return m_drawn == 0; }
  reports::TickRange extent() const override { return m_extent; }
  std::vector<plot::Track> tracks() const override { return m_tracks; }
  std::vector<plot::Slice> slices(int track, int lane, reports::TickRange range, int pixels, int64_t labelTicks,
                                  std::stop_token stop) const override;
  plot::Card card(int track, int lane, const plot::Slice& slice) const override;
  std::vector<QColor> palette(bool dark) const override;

private:
  static plot::Slice sliceOf(int64_t begin, int64_t end, std::size_t row, const analyser::query::Result& result,
                             const SpanColumns& columns);

  Unit m_unit;
  int64_t m_rows, m_drawn = 0, m_folded = 0;
  bool m_isAligned = false;
  theme::Format m_format;
  reports::TickRange m_extent;
  std::vector<plot::Track> m_tracks;
  std::vector<std::vector<std::vector<plot::Slice>>> m_lanes; // by track and lane
};
// Null if the result has no such columns.
std::shared_ptr<ResultSlices> resultSlices(const analyser::query::Result& result, const HostTracks& tracks);

} // namespace ui::shell

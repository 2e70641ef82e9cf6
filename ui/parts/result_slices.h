// The rows of a query as slices on a timeline: a column of begins with one of ends or durations, a track for each value of a column such as
// "track" or "thread".
#pragma once

#include "analyser/query/query.h"
#include "ui/plot/slice_source.h"
#include "ui/theme/format.h"

#include <map>
#include <memory>
#include <optional>

namespace ui::shell {

// The unit of ticks by track id: nanoseconds (threads of the host) or cycles (IPUs).
using HostTracks = std::map<int64_t, bool>;
HostTracks hostTracks(analyser::Session& session);

// The columns that a timeline needs; by index, -1: none.
struct SpanColumns {
  enum class Unit { Unknown, Cycles, Nanoseconds };
  int begin = -1, end = -1, duration = -1, name = -1, track = -1;
  Unit unit = Unit::Unknown; // what the names of the columns say, else the tracks
};
// None: no column is a begin, or none beside it an end or a duration.
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
  // Names the rows without a slice of their own; empty: each row has one.
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
// Null: the result has no such columns.
std::shared_ptr<ResultSlices> resultSlices(const analyser::query::Result& result, const HostTracks& tracks);

} // namespace ui::shell

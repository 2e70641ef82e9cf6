// The tooltips of the two plots of the trace: a slice of a lane, and the activity of a tile at a time.
#pragma once

#include "ui/plot/timeline.h"
#include "ui/views/trace/opened_trace.h"

#include <QCoreApplication>

#include <optional>

namespace ui::trace {

class TraceCards {
  Q_DECLARE_TR_FUNCTIONS(ui::trace::TraceCards)

public:
  TraceCards(const theme::Theme& theme, std::shared_ptr<const OpenedTrace> opened, std::shared_ptr<const GroupedLanes> lanes,
             const plot::Timeline& timeline)
      : m_theme(theme), m_opened(std::move(opened)), m_lanes(std::move(lanes)), m_timeline(timeline) {}

  plot::Card slice(const plot::Slice& slice, const shell::SliceNote& note, const theme::Format& format) const;
  plot::Card tile(reports::TileId tile, reports::Activity activity, int64_t tick) const;
  // The deepest slice that the lanes draw for a tile's IPU at a time.
  std::optional<plot::Timeline::Hit> stepOf(reports::TileId tile, int64_t tick) const;

private:
  int64_t executionsOf(const plot::Slice& slice, const shell::SliceNote& note) const;

  const theme::Theme& m_theme;
  std::shared_ptr<const OpenedTrace> m_opened;
  std::shared_ptr<const GroupedLanes> m_lanes;
  const plot::Timeline& m_timeline;
};

} // namespace ui::trace

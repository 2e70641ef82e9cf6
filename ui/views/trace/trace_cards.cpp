#include "ui/views/trace/trace_cards.h"

#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

namespace ui::trace {

using reports::Activity;
using theme::reportText;

plot::Card TraceCards::slice(const plot::Slice& slice, const shell::SliceNote& note, const theme::Format& f) const {
  plot::Card card;
  const QString name = note.name.valid() ? shell::sliceTitle(m_opened->trace->session().text(note.name)) : QString();
  const auto activity = Activity(slice.colour);
  const QColor colour =
      activityPalette(m_theme.isDark())[std::min<std::size_t>(std::size_t(slice.colour), reports::kActivityCount - 1)];
  if (slice.count > 1) {
    card.title = theme::plural(slice.count, tr("slice"), tr("slices")) + tr(", grouped");
    card.rows.push_back({tr("mostly"), reportText(reports::activityName(activity)), colour});
    card.rows.push_back({tr("covered"), theme::percent(note.density), {}});
    card.rows.push_back({tr("longest"), tr("%1, %2").arg(name, f.cycles(reports::Cycles(note.widest))), {}});
    card.hint = tr("Wheel zooms in, click selects the longest");
  } else {
    card.title = name;
    card.rows.push_back(
        {reportText(reports::activityName(activity)), f.cyclesExact(reports::Cycles(slice.end - slice.begin)), colour});
    if (const int64_t executions = executionsOf(slice, note); executions > 1)
      card.rows.push_back({tr("represents"),
                           tr("%1 executions, %2 each")
                               .arg(theme::count(executions), f.cycles(reports::Cycles((slice.end - slice.begin) / executions))),
                           {}});
    card.rows.push_back({tr("from"), f.cyclesExact(reports::Cycles(slice.begin)), {}});
    card.hint = tr("Click for details, double-click zooms");
  }
  return card;
}

// Iterations of a loop that were simulated once and multiplied are one slice per step.
int64_t TraceCards::executionsOf(const plot::Slice& slice, const shell::SliceNote& note) const {
  if (note.ref < 0 || Activity(slice.colour) == Activity::Scope) return 1;
  const auto folded = m_opened->folded.find(note.ref);
  return folded == m_opened->folded.end() ? 1 : folded->second;
}

// The cell map knows a tile's activity; the name of the step may come from the drawn flame lanes.
plot::Card TraceCards::tile(reports::TileId tile, Activity activity, int64_t tick) const {
  plot::Card card;
  const analyser::Machine& machine = m_opened->trace->session().machine();
  card.title = tileTitle(machine, tile);
  if (machine.ipus > 1) card.title += tr(", IPU %1").arg(machine.ipuOf(tile).value());
  const auto step = stepOf(tile, tick);
  card.rows.push_back({reportText(reports::activityName(activity)),
                       step && activity != Activity::Idle ? step->slice.label : QString(), m_theme.activity(activity)});
  card.hint = step ? tr("Click selects the tile and the step") : tr("Click selects the tile");
  return card;
}

std::optional<plot::Timeline::Hit> TraceCards::stepOf(reports::TileId tile, int64_t tick) const {
  const analyser::Machine& machine = m_opened->trace->session().machine();
  for (const auto& t : m_opened->trace->tracks())
    if (t.ipu == machine.ipuOf(tile) && t.isIo() == machine.isIo(tile))
      if (const int track = m_lanes->trackOf(t.id); track >= 0) return m_timeline.deepestAt(track, tick);
  return {};
}

} // namespace ui::trace

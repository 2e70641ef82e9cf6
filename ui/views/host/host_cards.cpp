// The tooltips of the host's view.
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/host/host_view.h"

#include <algorithm>
#include <cmath>

namespace ui::host {

using theme::reportText;

plot::Card HostView::sliceCard(const plot::Slice& slice, const shell::SliceNote& note) const {
  plot::Card card;
  if (!m_host) return card;
  if (isActivityColour(slice.colour)) return deviceCard(slice, note);
  const QString name = note.name.valid() ? m_host->nameOf(note.name) : QString();
  const QColor colour = hostColour(slice.colour, theme().isDark());
  const QString channel = m_host->channelName(channelOf(slice.colour));
  const auto* value = m_host->valueOf(uint8_t(channelOf(slice.colour)));
  const bool isProfile = value && !value->isInTime;
  const auto time = [&](int64_t ticks) {
    return isProfile ? amountText(*value, ticks, format()) : format().nanoseconds(reports::Nanoseconds(ticks));
  };
  // A sample that counts events has two numbers: the time at which it is drawn, and its number of events.
  const auto addEvents = [&] {
    if (const int64_t events = value && value->events ? eventsOf(*value, slice) : -1; events >= 0)
      card.rows.push_back({reportText(value->name), theme::count(events), colour});
  };
  // Prints a time with enough digits to distinguish adjacent pixels at this zoom.
  const auto moment = [this](int64_t tick, int64_t duration) {
    const auto pixels = std::llround(m_browser->timeline().scale().ticksPerPixel() * 100);
    const int64_t apart = std::max<int64_t>(1, duration > 0 ? std::min<int64_t>(duration, pixels) : pixels);
    return theme::Format::moment(reports::Nanoseconds(tick - m_host->range().begin), reports::Nanoseconds(apart));
  };
  const bool isFlag = slice.end - slice.begin == 1 && note.widest == 0;
  if (isFlag) {
    card.title = slice.count > 1 ? theme::plural(slice.count, tr("instant"), tr("instants")) : name;
    card.rows.push_back({channel, slice.count > 1 ? tr("first: %1").arg(name) : tr("instant"), colour});
    addEvents();
    card.rows.push_back({tr("at"), moment(slice.begin, 0), {}});
    card.hint = tr("Click for details");
  } else if (slice.count > 1) {
    card.title = theme::plural(slice.count, tr("slice"), tr("slices")) + tr(", grouped");
    card.rows.push_back({channel, theme::percent(note.density) + (isProfile ? tr(" covered") : tr(" busy")), colour});
    addEvents();
    card.rows.push_back({isProfile ? tr("largest") : tr("longest"), tr("%1, %2").arg(name, time(note.widest)), {}});
    card.hint = isProfile ? tr("Wheel zooms in, click selects the largest") : tr("Wheel zooms in, click selects the longest");
  } else {
    card.title = name;
    const int64_t ticks = slice.end - slice.begin;
    if (isProfile) {
      card.rows.push_back({reportText(value->name), tr("%1 (%2)").arg(time(ticks), exactText(*value, ticks, format())), colour});
      card.rows.push_back({tr("of all"), theme::percent(double(ticks) / double(std::max<int64_t>(1, value->range.size()))), {}});
    } else {
      addEvents();
      card.rows.push_back({value ? tr("drawn over") : channel, tr("%1 (%2 ns)").arg(time(ticks), theme::count(ticks)),
                           value ? QColor() : colour});
      card.rows.push_back({tr("from"), moment(slice.begin, ticks), {}});
    }
    card.hint = tr("Click for details, double-click zooms");
  }
  return card;
}

// The events of a drawn slice or mark; -1: it is not drawn.
int64_t HostView::eventsOf(const analyser::host::MeasuredValue& value, const plot::Slice& slice) const {
  for (std::size_t i = 0; rows() && i < rows()->all().size(); ++i) {
    const HostEntry& row = rows()->all()[i];
    for (int lane = 0; lane < row.entry.track.lanes; ++lane)
      if (shell::sliceKey(int(i), lane, slice.begin) == slice.id) return value.amountIn(row.entry.id, {slice.begin, slice.end});
  }
  return -1;
}

plot::Card HostView::deviceCard(const plot::Slice& slice, const shell::SliceNote& note) const {
  plot::Card card;
  const QString name = note.name.valid() ? m_host->nameOf(note.name) : QString();
  const QString activity = reportText(reports::activityName(reports::Activity(slice.colour - kFirstActivity)));
  const QColor colour = hostColour(slice.colour, theme().isDark());
  card.title = slice.count > 1 ? theme::plural(slice.count, tr("device step"), tr("device steps")) + tr(", grouped") : name;
  // The timeline is in host time. The tooltip shows device time: the cycles of the slice, or of the longest slice of a group.
  card.rows.push_back(
      {slice.count > 1 ? tr("mostly %1").arg(activity) : activity, format().cycles(reports::Cycles(note.widest)), colour});
  if (slice.count > 1) card.rows.push_back({tr("longest"), name, {}});
  card.rows.push_back({tr("host time"), format().nanoseconds(reports::Nanoseconds(slice.end - slice.begin)), {}});
  card.hint = tr("Click for details");
  return card;
}

} // namespace ui::host

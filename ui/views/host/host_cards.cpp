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
  const auto time = [this](int64_t ns) { return format().nanoseconds(reports::Nanoseconds(ns)); };
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
    card.rows.push_back({tr("at"), moment(slice.begin, 0), {}});
    card.hint = tr("Click for details");
  } else if (slice.count > 1) {
    card.title = theme::plural(slice.count, tr("slice"), tr("slices")) + tr(", grouped");
    card.rows.push_back({channel, theme::percent(note.density) + tr(" busy"), colour});
    card.rows.push_back({tr("longest"), tr("%1, %2").arg(name, time(note.widest)), {}});
    card.hint = tr("Wheel zooms in, click selects the longest");
  } else {
    card.title = name;
    card.rows.push_back(
        {channel, tr("%1 (%2 ns)").arg(time(slice.end - slice.begin), theme::count(slice.end - slice.begin)), colour});
    card.rows.push_back({tr("from"), moment(slice.begin, slice.end - slice.begin), {}});
    card.hint = tr("Click for details, double-click zooms");
  }
  return card;
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

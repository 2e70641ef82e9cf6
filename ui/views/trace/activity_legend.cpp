#include "ui/views/trace/activity_legend.h"

#include "ui/plot/cell_map.h"
#include "ui/theme/theme.h"
#include "ui/views/trace/trace_sources.h"
#include "ui/views/trace/trace_tables.h"

namespace ui::trace {

using reports::Activity;

ActivityLegend::ActivityLegend(const theme::Theme& theme) : Legend(theme), m_theme(theme) {
  setOccurring({std::begin(kLegend), std::end(kLegend)}); // the legend needs its height before the plots get theirs
}

// Only activities that occur get an entry.
void ActivityLegend::setOccurring(const std::set<Activity>& occurring) {
  m_activities.clear();
  std::vector<plot::LegendEntry> entries;
  for (const Activity a : kLegend) {
    if (!occurring.contains(a)) continue;
    m_activities.push_back(a);
    // Only the plot of tiles by cycles shows idle tiles, in a weak grey, which the legend shows too.
    const bool isIdle = a == Activity::Idle;
    entries.push_back({a == Activity::Scope ? QObject::tr("Operations and debug scopes")
                       : isIdle             ? QObject::tr("Idle or unused tiles")
                                            : activityTitle(a),
                       {},
                       [this, a, isIdle] {
                         const QColor colour = activityPalette(m_theme.isDark())[std::size_t(a)];
                         return isIdle ? plot::CellMap::blend(m_theme.tokens().surface, colour, kIdleStrength / 255.0) : colour;
                       },
                       plot::Mark::Area,
                       false,
                       QLatin1String(reports::activityName(a).data(), qsizetype(reports::activityName(a).size()))});
  }
  setEntries(std::move(entries));
}

std::set<int> ActivityLegend::hiddenActivities() const {
  std::set<int> hidden;
  for (std::size_t i = 0; i < m_activities.size(); ++i)
    if (!isShown(int(i))) hidden.insert(int(m_activities[i]));
  return hidden;
}

} // namespace ui::trace

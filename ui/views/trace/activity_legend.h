// The legend of the trace: an entry for every activity that occurs; a click hides or shows its slices.
#pragma once

#include "reports/core/categories.h"
#include "ui/plot/legend.h"

#include <set>
#include <vector>

namespace ui::trace {

// The activities in the order of the legend; scopes are last.
inline constexpr reports::Activity kLegend[] = {
    reports::Activity::Compute,        reports::Activity::OnTileCopy, reports::Activity::InternalExchange,
    reports::Activity::GlobalExchange, reports::Activity::HostStream, reports::Activity::Sync,
    reports::Activity::Control,        reports::Activity::Idle,       reports::Activity::Scope};

class ActivityLegend : public plot::Legend {
public:
  explicit ActivityLegend(const theme::Theme& theme);
  void setOccurring(const std::set<reports::Activity>& occurring);
  std::set<int> hiddenActivities() const;

private:
  const theme::Theme& m_theme;
  std::vector<reports::Activity> m_activities; // of the entries
};

} // namespace ui::trace

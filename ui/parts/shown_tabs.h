// Hides tabs that have no content for this report. A hidden tab is disabled, too: the wheel and keys skip only disabled tabs.
#pragma once

#include <QTabWidget>

namespace ui::shell {

inline void setTabShown(QTabWidget& tabs, QWidget* page, bool shown) {
  const int index = tabs.indexOf(page);
  if (index < 0) return;
  // In Qt 6.4 a call that changes nothing cancels the pending layout of a hidden tab bar, which leaves a gap in place of the tab.
  if (tabs.isTabVisible(index) != shown) tabs.setTabVisible(index, shown);
  tabs.setTabEnabled(index, shown);
}

} // namespace ui::shell

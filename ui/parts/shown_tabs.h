// Hides tabs that have no content for this report. A hidden tab is disabled, too: the wheel and keys skip only disabled tabs.
#pragma once

#include <QTabWidget>

namespace ui::shell {

inline void setTabShown(QTabWidget& tabs, QWidget* page, bool shown) {
  const int index = tabs.indexOf(page);
  if (index < 0) return;
  tabs.setTabVisible(index, shown);
  tabs.setTabEnabled(index, shown);
}

} // namespace ui::shell

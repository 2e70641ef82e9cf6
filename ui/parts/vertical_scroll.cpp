#include "ui/parts/vertical_scroll.h"

namespace ui::shell {

QScrollArea* verticalScroll(QWidget* content) {
  auto* area = new QScrollArea;
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setWidget(content);
  return area;
}

} // namespace ui::shell

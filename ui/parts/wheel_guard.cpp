#include "ui/parts/wheel_guard.h"

#include <QEvent>
#include <QTabBar>
#include <QWidget>

namespace ui::shell {

namespace {

class WheelGuard : public QObject {
public:
  using QObject::QObject;
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus()) return false;
    event->ignore(); // the page below handles it
    return true;
  }
};

class TabWheelGuard : public QObject {
public:
  using QObject::QObject;
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() != QEvent::Wheel) return false;
    event->ignore();
    return true;
  }
};

} // namespace

void leaveWheelToPage(QWidget& field) {
  field.setFocusPolicy(Qt::StrongFocus); // by default the wheel gives the focus
  field.installEventFilter(new WheelGuard(&field));
}

void leaveWheelOfTabs(QWidget& widget) {
  for (auto* bar : widget.findChildren<QTabBar*>()) bar->installEventFilter(new TabWheelGuard(bar));
}

} // namespace ui::shell

#include "ui/parts/splitter_keys.h"

#include <QCoreApplication>
#include <QFrame>
#include <QKeyEvent>
#include <QSplitter>

#include <algorithm>

namespace ui::shell {

namespace {

constexpr int kStep = 16, kFarStep = 64, kToTheEnd = 1 << 20; // pixels

class HandleKeys final : public QObject {
public:
  HandleKeys(QSplitter& splitter, int handle)
      : QObject(splitter.handle(handle)), m_splitter(splitter), m_index(handle), m_mark(new QFrame(splitter.handle(handle))) {
    QWidget* grip = splitter.handle(handle);
    grip->setFocusPolicy(Qt::TabFocus);
    grip->setAccessibleName(QCoreApplication::translate("ui::shell::HandleKeys", "Divider"));
    grip->setAccessibleDescription(QCoreApplication::translate("ui::shell::HandleKeys", "Arrow keys move it"));
    m_mark->setProperty("role", "focusMark");
    m_mark->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_mark->hide();
    grip->installEventFilter(this);
  }

  bool eventFilter(QObject*, QEvent* event) override {
    switch (event->type()) {
    case QEvent::FocusIn:
    case QEvent::Resize: m_mark->setGeometry(m_splitter.handle(m_index)->rect()); [[fallthrough]];
    case QEvent::FocusOut: m_mark->setVisible(m_splitter.handle(m_index)->hasFocus()); return false;
    case QEvent::KeyPress: return move(*static_cast<QKeyEvent*>(event));
    default: return false;
    }
  }

private:
  bool move(const QKeyEvent& event) {
    const bool isHorizontal = m_splitter.orientation() == Qt::Horizontal;
    const int step = event.modifiers() & Qt::ShiftModifier ? kFarStep : kStep;
    const int key = event.key();
    const int by = key == (isHorizontal ? Qt::Key_Left : Qt::Key_Up)      ? -step
                   : key == (isHorizontal ? Qt::Key_Right : Qt::Key_Down) ? step
                   : key == Qt::Key_Home                                  ? -kToTheEnd
                   : key == Qt::Key_End                                   ? kToTheEnd
                                                                          : 0;
    if (by == 0) return false;
    QList<int> sizes = m_splitter.sizes();
    int &before = sizes[m_index - 1], &after = sizes[m_index];
    const auto least = [&](int pane) {
      const QWidget* widget = m_splitter.widget(pane);
      const QSize most = widget->minimumSizeHint().expandedTo(widget->minimumSize());
      return std::max(1, isHorizontal ? most.width() : most.height());
    };
    const int lowest = std::min(before, least(m_index - 1)) - before, highest = after - std::min(after, least(m_index));
    const int moved = std::clamp(by, lowest, highest);
    before += moved, after -= moved;
    m_splitter.setSizes(sizes);
    const QPoint at = m_splitter.handle(m_index)->pos();
    emit m_splitter.splitterMoved(isHorizontal ? at.x() : at.y(), m_index); // as a drag does
    return true;
  }

  QSplitter& m_splitter;
  int m_index;
  QFrame* m_mark;
};

} // namespace

void moveByKeys(QSplitter& splitter) {
  for (int handle = 1; handle < splitter.count(); ++handle) new HandleKeys(splitter, handle);
}

} // namespace ui::shell

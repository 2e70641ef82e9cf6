// The reports that are open, one tab each, when there are two or more. A drag of a tab onto another compares the two; a middle
// click closes one.
#pragma once

#include <QTabBar>

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class OpenReports;

class TabStrip : public QTabBar {
  Q_OBJECT

public:
  TabStrip(const theme::Theme& theme, OpenReports& reports, QWidget* parent = nullptr);
  void update(); // the tabs of `reports`

signals:
  void closeRequested(int tab);
  void compareRequested(int tab, int with);

protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  void addCloseButton(int tab);
  QRect inside(int tab) const;
  bool canCompare(int tab, int with) const;
  void dragOver(int tab);

  const theme::Theme& m_theme;
  OpenReports& m_reports;
  QPoint m_pressedAt;
  int m_dragged = -1, m_over = -1; // tabs; -1: none
  bool m_isDragging = false;
};

} // namespace ui::shell

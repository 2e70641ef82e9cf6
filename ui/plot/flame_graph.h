// A tree of calls as boxes: the width is the time, callees are below their caller, the longest at the left. A click makes a box
// as wide as the plot, with its callers above; Escape zooms out.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/plot/plot_table.h"

#include <QColor>
#include <QWidget>

#include <functional>
#include <vector>

class QScrollBar;

namespace ui::theme {
class Theme;
}

namespace ui::plot {

struct FlameBox {
  int parent = -1; // index into the list; parents come first
  QString name;
  int64_t value = 0;   // at most the value of the parent
  int colour = 0;      // argument of the colour function
  bool isGone = false; // hatched, in a light tone: only in the base report
};

class FlameGraph : public QWidget, public Tabled {
  Q_OBJECT

public:
  FlameGraph(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);

  void setColours(std::function<QColor(int colour)> colours) { m_colours = std::move(colours); }
  void setCard(std::function<Card(int box)> card) { m_card = std::move(card); }
  // Keeps the entered box if a box with its name and depth still exists.
  void setBoxes(std::vector<FlameBox> boxes, const QString& empty);
  int entered() const { return m_root; } // -1: everything
  void enter(int box);
  // The rectangle of a box; empty if it is narrower than half a pixel or out of sight.
  QRect boxRect(int box) const;
  int boxAt(const QPoint& at) const;
  PlotTable table() const override;

signals:
  void boxClicked(int box);

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  struct Place {
    double left = 0, width = 0; // pixels
    int row = 0;
    bool shown = false;
  };
  void arrange();
  void describeIt();
  double innerWidth() const;

  const theme::Theme& m_theme;
  std::function<QColor(int)> m_colours;
  std::function<Card(int)> m_card;
  std::vector<FlameBox> m_boxes;
  std::vector<Place> m_places;
  QString m_empty;
  int m_root = -1, m_hovered = -1, m_cursor = -1, m_rows = 0;
  HoverCard* m_hover;
  QScrollBar* m_scroll;
};

} // namespace ui::plot

// The largest variables as bars over program steps, below the plot and on its axis. The bars that cross the line of the selected
// step are live at that step.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"
#include "ui/views/liveness/liveness_geometry.h"

#include <QAbstractScrollArea>

#include <functional>

namespace ui::theme {
class Theme;
}

namespace ui::liveness {

class LifetimeChart : public QAbstractScrollArea {
  Q_OBJECT

public:
  explicit LifetimeChart(const theme::Theme& theme, QWidget* parent = nullptr);
  void setLifetimes(std::vector<analyser::liveness::Lifetime> lifetimes);
  // The axis of the plot above in pixels of the viewport; called for each paint or click.
  void setAxis(std::function<StepAxis()> axis);
  void setFormat(const theme::Format& format);
  void setStep(int64_t step);
  void setSelectedVariable(reports::VariableId variable);
  // The row at a y of the viewport, -1 for none.
  int rowAt(int y) const;
  reports::VariableId variableOf(int row) const;

signals:
  void variableClicked(reports::VariableId variable);
  void stepClicked(int64_t step);

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  struct Place { // valid for one painting
    StepAxis axis;
    int first = 0, last = -1; // rows in sight
    std::vector<int> alive;   // rows that are live at the selected step
  };
  Place place() const;
  int topOf(int row) const;
  void paintRows(QPainter& painter, const Place& place) const;
  bool isStepShown(const Place& place) const;
  void paintStep(QPainter& painter, const Place& place) const;
  void paintBars(QPainter& painter, const Place& place) const;
  void paintName(QPainter& painter, const Place& place, int row, std::span<const LifetimeBar> bars) const;
  QColor groundOf(int row) const;
  void paintHead(QPainter& painter, const Place& place) const;
  void layoutScroll();
  void hover(const QPoint& at);
  plot::Card cardOf(int row) const;

  const theme::Theme& m_theme;
  theme::Format m_format;
  std::vector<analyser::liveness::Lifetime> m_lifetimes;
  std::function<StepAxis()> m_axis;
  int64_t m_step = -1;
  reports::VariableId m_selected;
  int m_hovered = -1;
  plot::HoverCard* m_card;
};

} // namespace ui::liveness

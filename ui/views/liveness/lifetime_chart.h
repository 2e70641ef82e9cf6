// The largest variables as bars over program steps, under the plot's own axis range: which of them make the peak is seen by
// the line of the selected step crossing their bars.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"
#include "ui/views/liveness/liveness_geometry.h"

#include <QAbstractScrollArea>

namespace ui::theme {
class Theme;
}

namespace ui::liveness {

class LifetimeChart : public QAbstractScrollArea {
  Q_OBJECT

public:
  explicit LifetimeChart(const theme::Theme& theme, QWidget* parent = nullptr);
  void setLifetimes(std::vector<analyser::liveness::Lifetime> lifetimes, int64_t steps);
  void setFormat(const theme::Format& format);
  void setVisibleSteps(reports::Range<int64_t> range);
  void setStep(int64_t step);
  void setSelectedVariable(reports::VariableId variable);
  // The row at a height of the viewport, -1 for none.
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
  int gutter() const;
  void layoutScroll();
  void hover(const QPoint& at);

  const theme::Theme& m_theme;
  theme::Format m_format;
  std::vector<analyser::liveness::Lifetime> m_lifetimes;
  reports::Range<int64_t> m_visible;
  int64_t m_step = -1;
  reports::VariableId m_selected;
  int m_hovered = -1;
  plot::HoverCard* m_card;
};

} // namespace ui::liveness

// The findings as rows, the largest saving first: a rank, the finding and its location, and the saving as a bar with its number.
#pragma once

#include "analyser/insights/insight.h"
#include "ui/plot/plot_table.h"
#include "ui/theme/format.h"

#include <QWidget>

#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::insights {

class FindingList : public QWidget, public plot::Tabled {
  Q_OBJECT

public:
  FindingList(const theme::Theme& theme, QWidget* parent = nullptr);
  // `shown` are indices of `all`; both must live until the next call.
  void setFindings(const std::vector<analyser::insights::Insight>* all, std::vector<int> shown);
  void setFormat(const theme::Format& format);
  void setCurrent(int finding); // index of all; -1: none
  int current() const { return m_current; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {260, sizeHint().height()}; }
  plot::PlotTable table() const override;

signals:
  void chosen(int finding);
  void activated(int finding); // Enter or double-click: show the evidence

protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  bool event(QEvent* event) override;

private:
  void paintRow(QPainter& painter, int row, const QRect& area) const;
  int rowAt(int y) const;
  int rowOf(int finding) const;
  void choose(int row);

  const theme::Theme& m_theme;
  theme::Format m_format;
  const std::vector<analyser::insights::Insight>* m_all = nullptr;
  std::vector<int> m_shown;
  int m_current = -1, m_hovered = -1;
};

} // namespace ui::insights

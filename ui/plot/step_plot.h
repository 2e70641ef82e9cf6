// Values over an integer axis (tiles, program steps): stacked areas, step curves, a maximum line, a selection. QCustomPlot
// draws axes and grid; the data are painted here column by column, because its own fills cannot keep the peak of ten
// thousand values that share a pixel. Where several values share a column, areas show the one with the highest sum and
// curves the span from lowest to highest, so no peak is ever lost.
#pragma once

#include "ui/plot/step_scene.h"
#include "ui/plot/step_words.h"

#include <QWidget>

#include <functional>
#include <utility>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

class StepCanvas;

class StepPlot : public QWidget, public Tabled {
  Q_OBJECT

public:
  // `name` is read by screen readers: "Memory per tile".
  StepPlot(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);

  // Positions 0 … count-1 on the horizontal axis, e.g. "Tile" or "Liveness step".
  void setAxes(const QString& xTitle, int64_t count, const QString& yTitle, ValueKind kind);
  // Drops all figures and their texts, as before the first setAxes().
  void forget();
  // Layers stack upwards in the given order; curves are drawn over them. Each series is shown or hidden by index.
  void setLayers(std::vector<AreaLayer> layers);
  void setCurves(std::vector<Curve> curves);
  void setLayersShown(const std::vector<bool>& shown);
  void setCurvesShown(const std::vector<bool>& shown);
  // Emphasises this curve and fades the others, e.g. while the pointer is on its legend entry; -1: none.
  void setEmphasis(int curve);
  // A dashed horizontal line with a label; 0 removes it. `inView` false lets the axis end below it.
  void setLimit(int64_t value, const QString& label, bool inView = true);
  // Gives this plot and `twin` one scale that fits the current series of both. Null: the plot has its own scale again.
  void shareScale(StepPlot* twin);
  // Values on a logarithmic axis, from just below the smallest one above 0. Only for curves: stacked areas have no meaning there.
  void setLogarithmic(bool logarithmic);
  // Vertical separators with captions, e.g. the first tile of every IPU.
  void setMarks(std::vector<std::pair<int64_t, QString>> marks);
  void setBands(std::vector<StepBand> bands);
  void setFormat(const theme::Format& format);
  // Text of a position on the axis and in the tooltip; default: the number itself.
  void setPositionText(std::function<QString(int64_t)> text);
  // The number of the first position, so that labels are round numbers: tiles of the second IPU begin at 1,472.
  void setFirstPosition(int64_t number);
  // With two curves, the table gets a third column: the second curve minus the first.
  void setDifferenceTold(bool told) { m_scene.isDifferenceTold = told; }
  PlotTable table() const override { return stepTable(m_scene, visible().begin); }
  // Replaces the standard tooltip.
  void setCard(std::function<Card(int64_t)> card) { m_card = std::move(card); }

  void setSelection(std::vector<reports::Range<int64_t>> positions);
  // The colour of the selection, for plots in which a curve has the accent colour.
  void setSelectionColour(std::function<QColor()> colour) { m_scene.selectionColour = std::move(colour); }
  reports::Range<int64_t> visible() const;
  void setVisible(reports::Range<int64_t> range);
  using QWidget::setVisible;
  void fit();
  // Minimum width left of the axis, for a caller that draws something below on the same axis.
  void setGutter(int pixels);
  void zoom(double factor); // keeps the middle of the visible range in place

  const StepScene& scene() const { return m_scene; } // what is shown
  // The rectangle between the axes and the pixels of positions and values, for what is drawn beside the plot on the same axes.
  QRect axes() const;
  double pixelAt(double position) const;
  double pixelOf(double value) const;
  std::pair<double, double> shownPositions() const; // ends of the horizontal axis; the middle of step i is at i
  void paintNow();                                  // not with the next event
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

signals:
  void positionClicked(int64_t position, Qt::KeyboardModifiers modifiers);
  void rangeDragged(int64_t first, int64_t last, Qt::KeyboardModifiers modifiers); // shift-drag, inclusive
  void positionActivated(int64_t position);                                        // double-click or Enter
  void positionHovered(int64_t position);                                          // -1: none
  void visibleChanged(reports::Range<int64_t> range);
  void valuesChanged(); // or the set of shown series
  void painted();

protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void redraw();
  void showValues();
  void rescaleValues();
  void moveTo(double begin, double end);
  int64_t positionAt(double x) const;
  reports::Range<int64_t> draggedTo(double x) const; // empty if the plot has no positions
  void hover(int64_t position, const QPoint& at);
  void describeIt();

  const theme::Theme& m_theme;
  StepScene m_scene;
  StepCanvas* m_canvas;
  std::function<Card(int64_t)> m_card;
  HoverCard* m_hoverCard;
  int64_t m_hovered = -1, m_cursor = -1;
  QPoint m_pressed;
  double m_pressBegin = 0;
  bool m_dragging = false, m_selecting = false;
};

} // namespace ui::plot

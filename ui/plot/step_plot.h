// Values over an integer axis (tiles, program steps): stacked areas, step curves, a maximum line, a selection. QCustomPlot
// draws axes and grid; the data are painted here column by column, because its own fills cannot keep the peak of ten
// thousand values that share a pixel. Where several values share a column, areas show the one with the highest sum and
// curves the span from lowest to highest, so no peak is ever lost.
#pragma once

#include "reports/core/range.h"
#include "ui/plot/hover_card.h"
#include "ui/plot/plot_table.h"
#include "ui/theme/format.h"

#include <qcustomplot.h>

#include <functional>
#include <memory>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

using Values = std::shared_ptr<const std::vector<int64_t>>;

enum class ValueKind { Bytes, Cycles, Count, Share }; // Share: millionths, printed as per cent

struct AreaLayer {
  QString title;
  std::function<QColor()> colour;
  Values values; // one value per position
};

struct Curve {
  QString title;
  std::function<QColor()> colour;
  Values values;
  bool dashed = false;
  bool filled = false; // a light fill down to zero
};

class StepPlot : public QCustomPlot, public Tabled {
  Q_OBJECT

public:
  // `name` is read by screen readers: "Memory per tile".
  StepPlot(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  ~StepPlot() override;

  // Positions 0 … count-1 on the horizontal axis, e.g. "Tile" or "Liveness step".
  void setAxes(const QString& xTitle, int64_t count, const QString& yTitle, ValueKind kind);
  // Drops all figures and the words about them, as before the first setAxes().
  void forget();
  // Layers stack upwards in the given order; curves lie over them. Each series is shown or hidden by index.
  void setLayers(std::vector<AreaLayer> layers);
  void setCurves(std::vector<Curve> curves);
  void setLayersShown(const std::vector<bool>& shown);
  void setCurvesShown(const std::vector<bool>& shown);
  // This curve stands out and the other curves step back, as while its entry in the legend is pointed at; -1: all are as they are.
  void setEmphasis(int curve);
  // A dashed horizontal line with a label; 0 removes it. `inView` false lets the axis end below it.
  void setLimit(int64_t value, const QString& label, bool inView = true);
  // Values on a logarithmic axis, from just below the smallest one above 0; for curves, since stacked areas have no scale there.
  void setLogarithmic(bool logarithmic);
  bool isLogarithmic() const { return m_logarithmic; }
  // Vertical separators with captions, e.g. the first tile of every IPU.
  void setMarks(std::vector<std::pair<int64_t, QString>> marks);
  // Strips across positions, e.g. from the 5th to the 95th percentile of each group; empty: none.
  struct Band {
    reports::Range<int64_t> positions, values;
  };
  void setBands(std::vector<Band> bands);
  void setFormat(const theme::Format& format);
  // Text of a position on the axis and in the card; default: the number itself.
  void setPositionText(std::function<QString(int64_t)> text);
  // The number of the first position, of which the labels make round ones: tiles of the second IPU begin at 1,472.
  void setFirstPosition(int64_t number);
  // The table of two curves has a third column, the second less the first.
  void setDifferenceTold(bool told) { m_tellsDifference = told; }
  PlotTable table() const override;
  // Replaces the standard card (position and one row per shown series).
  void setCard(std::function<Card(int64_t)> card);

  void setSelection(std::vector<reports::Range<int64_t>> positions);
  const std::vector<reports::Range<int64_t>>& selection() const { return m_selection; }
  // Of the selection, where the accent is the colour of a curve.
  void setSelectionColour(std::function<QColor()> colour);
  reports::Range<int64_t> visible() const;
  void setVisible(reports::Range<int64_t> range);
  using QCustomPlot::setVisible;
  void fit();
  // Room before the axis at least, for who draws something below on the same axis.
  void setGutter(int pixels);
  void zoom(double factor); // about the middle of the visible range

  // The highest shown sum or curve value, for tests and captions.
  int64_t highest() const;
  int64_t count() const { return m_count; }
  std::vector<int64_t> outline() const; // the same of each position
  QString limitLabel() const { return m_limit > 0 ? m_limitLabel : QString(); }

signals:
  void positionClicked(int64_t position, Qt::KeyboardModifiers modifiers);
  void rangeDragged(int64_t first, int64_t last, Qt::KeyboardModifiers modifiers); // shift-drag, inclusive
  void positionActivated(int64_t position);                                        // double-click or Enter
  void positionHovered(int64_t position);                                          // -1: none
  void visibleChanged(reports::Range<int64_t> range);
  void valuesChanged(); // or which of them are shown

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
  void paintEvent(QPaintEvent* event) override;

private:
  class Painter;
  class PositionTicker;
  class ValueTicker;
  class LogTicker;
  friend class Painter;
  void restyle();
  void rescaleValues();
  int64_t lowestAboveZero() const; // of shown sums and curves
  int64_t highestOf(reports::Range<int64_t> positions) const;
  void moveTo(double begin, double end);
  int64_t positionAt(double x) const;
  void hover(int64_t position, const QPoint& at);
  Card standardCard(int64_t position) const;
  QString valueText(int64_t value) const;
  QString positionText(int64_t position) const;
  QString shows() const; // in words
  void describeIt();

  const theme::Theme& m_theme;
  theme::Format m_format;
  ValueKind m_kind = ValueKind::Bytes;
  int64_t m_count = 0;
  std::vector<AreaLayer> m_layers;
  std::vector<Curve> m_curves;
  std::vector<bool> m_layersShown, m_curvesShown;
  int m_emphasis = -1;
  std::vector<int64_t> m_sums; // of the shown layers
  int64_t m_limit = 0;
  bool m_limitInView = true, m_logarithmic = false;
  QString m_limitLabel, m_name;
  std::vector<std::pair<int64_t, QString>> m_marks;
  std::vector<Band> m_bands;
  std::vector<reports::Range<int64_t>> m_selection;
  std::function<QColor()> m_selectionColour; // empty: the accent
  std::function<QString(int64_t)> m_positionText;
  std::function<Card(int64_t)> m_card;
  HoverCard* m_hoverCard;
  Painter* m_painter;
  int64_t m_hovered = -1, m_cursor = -1;
  QPoint m_pressed;
  double m_pressBegin = 0;
  bool m_dragging = false, m_selecting = false, m_tellsDifference = false;
};

} // namespace ui::plot

// The common part of all time views: visible range, axis, minimap, wheel zoom at the pointer, drag pan, keys. One viewport-sized
// widget; the derived class is its content. Two time views of the same run are linked by connecting visibleChanged to
// setVisibleRange.
#pragma once

#include "reports/core/range.h"
#include "ui/plot/hover_card.h"
#include "ui/plot/time_axis.h"
#include "ui/plot/time_content.h"
#include "ui/plot/time_drag.h"
#include "ui/plot/time_markers.h"

#include <QWidget>

#include <vector>

class QScrollBar;

namespace ui::plot {

class TimeView : public QWidget, protected TimeContent {
  Q_OBJECT

public:
  TimeView(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  ~TimeView() override;

  reports::TickRange extent() const { return m_extent; }
  reports::TickRange visibleRange() const { return m_visible; }
  // Clipped to the extent; an empty range shows everything.
  void setVisibleRange(reports::TickRange range);
  void fit();
  // Shows the next larger of these: the selection, the ruler's range, everything.
  void frame();
  void zoomBy(double factor); // keeps the middle of the visible range in place
  void panBy(double pixels);
  void setFormat(const theme::Format& format);
  // Host traces count nanoseconds, not cycles. Profiles draw bytes or counts: `amount`.
  void setNanoseconds(bool nanoseconds, std::optional<TickFormat::Amount> amount = {}) {
    m_format.isNanoseconds = nanoseconds, m_format.amount = amount;
    update();
  }
  const TickFormat& tickFormat() const { return m_format; }
  void setWithoutUnit(bool without) { m_format.isWithoutUnit = without; } // ticks may be cycles or nanoseconds
  void setGutter(int width);                                              // for names of tracks at the left; default 192
  void setMinimapShown(bool shown);
  void setAxisShown(bool shown); // false if a linked view above has an axis
  // True while the displayed image is older than the visible range.
  virtual bool isBusy() const { return false; }
  TimeScale scale() const { return {m_visible, body().width()}; }
  int64_t hoveredTick() const { return m_pointer.tick; } // below the pointer; -1: none
  // A line at the pointer's time in a linked view; -1: none.
  void setCursorTick(int64_t tick);
  // Flags at useful times, each with a text, in a band between minimap and axis; without flags the band is hidden. A click on a
  // flag, B for the next one and Shift+B for the previous one go there and emit markerChosen.
  using Marker = TimeMarkers::Marker;
  void setMarkers(std::vector<Marker> markers);
  QRect markerPlace(int marker) const { return m_markers.placeOf(marker, scene()); }
  // The ruler: a range from A to B, drawn on the axis, or in the data with Ctrl. Empty: none.
  reports::TickRange measured() const { return m_measured; }
  void setMeasured(reports::TickRange range);
  // The time of the selection here or in a linked view, for frame(); empty: no selection.
  void setSelectedTicks(reports::TickRange ticks) { m_selectedTicks = ticks; }

signals:
  void visibleChanged(reports::TickRange range); // by the user
  void busyChanged();
  void tickHovered(int64_t tick);               // -1: none
  void rangeMeasured(reports::TickRange range); // by the user; empty: cleared
  void markerChosen(int marker);
  // A drag with Alt from `from` has moved by `ticks`. `ended` is true when the button is released.
  void shiftDragged(const QPoint& from, int64_t ticks, bool ended);

protected:
  void setExtent(reports::TickRange extent);
  // The area of the data: right of the gutter, below minimap and axis.
  QRect body() const { return bands().body(); }
  const theme::Theme& theme() const { return m_theme; }
  TimeScene scene() const { return {m_theme, m_format, bands(), m_extent, m_visible, scrolled(), devicePixelRatioF()}; }
  QScrollBar& scrollBar() const { return *m_scroll; }
  int scrolled() const;
  QString shows() const override;
  void describeIt(); // announces shows() to screen readers if it has changed
  // Call it when the height of the content has changed.
  void relayout();
  // Scrolls the least distance that makes [top, top + height) of the content visible.
  void scrollTo(int top, int height);
  HoverCard& hoverCard() const { return *m_card; }
  void hoverAgain(); // the content below the resting pointer has changed

  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

private:
  TimeLayout bands() const;
  void layoutScroll();
  void changeVisible(reports::TickRange range);
  void paintOverview(QPainter& painter);
  void measure(reports::TickRange range);
  void hoverAt(const QPoint& at);

  const theme::Theme& m_theme;
  TickFormat m_format;
  TimeLayout m_layout; // without its size and the row of markers
  reports::TickRange m_extent{0, 1}, m_visible{0, 1};
  bool m_everything = true;
  QScrollBar* m_scroll;
  HoverCard* m_card;
  TimeDrag m_drag;
  TimeMarkers m_markers;
  reports::TickRange m_measured, m_selectedTicks;
  TimePointer m_pointer;
};

} // namespace ui::plot

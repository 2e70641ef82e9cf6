// The part all time views share: visible range, axis, minimap, wheel zoom at the pointer, drag pan, keys. One
// viewport-sized widget; what lies between axis and edge is painted by the derived class in `paintBody`.
// Two time views that show the same run are linked by connecting visibleChanged to setVisibleRange.
#pragma once

#include "reports/core/range.h"
#include "ui/plot/hover_card.h"
#include "ui/plot/overview_frame.h"
#include "ui/plot/time_scale.h"

#include <QImage>
#include <QWidget>

#include <vector>

class QScrollBar;

namespace ui::theme {
class Theme;
}

namespace ui::plot {

class TimeView : public QWidget {
  Q_OBJECT

public:
  TimeView(const theme::Theme& theme, const QString& name, QWidget* parent = nullptr);
  ~TimeView() override;

  reports::TickRange extent() const { return m_extent; }
  reports::TickRange visibleRange() const { return m_visible; }
  // Clipped to the extent; an empty range shows everything.
  void setVisibleRange(reports::TickRange range);
  void fit();
  void zoomBy(double factor); // about the middle
  void panBy(double pixels);
  void setFormat(const theme::Format& format);
  // Host traces count nanoseconds, not cycles.
  void setNanoseconds(bool nanoseconds);
  void setGutter(int width); // names of tracks at the left; default 192
  void setMinimapShown(bool shown);
  void setAxisShown(bool shown); // not where a linked view above has one
  // True while the shown picture is older than the visible range.
  virtual bool isBusy() const { return false; }
  TimeScale scale() const;
  int64_t hoveredTick() const { return m_hoverTick; } // below the pointer; -1: none
  // A line where the pointer is in a linked view; -1: none.
  void setCursorTick(int64_t tick);
  // Places worth coming back to, each a flag with its words between minimap and axis, in a band that is there while there are any. A click
  // on a flag goes there, and so does B for the next one and Shift+B for the one before: markerChosen.
  struct Marker {
    reports::TickRange ticks;
    QString text;
    bool operator==(const Marker&) const = default;
  };
  void setMarkers(std::vector<Marker> markers);
  QRect markerPlace(int marker) const; // of its flag in the widget; empty: out of sight
  // The ruler: a span from A to B that was drawn on the axis, or in the data with Ctrl. Empty: none.
  reports::TickRange measured() const { return m_measured; }
  void setMeasured(reports::TickRange range);

signals:
  void visibleChanged(reports::TickRange range); // by the user
  void busyChanged();
  void tickHovered(int64_t tick);               // -1: none
  void rangeMeasured(reports::TickRange range); // by the user; empty: cleared
  void markerChosen(int marker);
  // A drag with Alt that began at `from` has come so far; `ended` when the button is up.
  void shiftDragged(const QPoint& from, int64_t ticks, bool ended);

protected:
  void setExtent(reports::TickRange extent);
  // The area of the data: right of the gutter, below minimap and axis.
  QRect body() const;
  int gutter() const { return m_gutter; }
  const theme::Theme& theme() const { return m_theme; }
  const theme::Format& format() const { return m_format; }
  bool countsNanoseconds() const { return m_nanoseconds; }
  QString durationText(int64_t ticks) const;
  QString durationExact(int64_t ticks) const;
  QScrollBar& scrollBar() const { return *m_scroll; }
  int scrolled() const;
  // The picture in words, for screen readers; describeIt() tells them again when it has changed.
  virtual QString shows() const;
  virtual QString arrowKeys() const { return QString(); } // what they do, if anything
  void describeIt();
  // The height of the content changed.
  void relayout();
  // Scrolls as little as brings [top, top + height) of the content into sight.
  void scrollTo(int top, int height);
  HoverCard& hoverCard() const { return *m_card; }
  void hoverAgain(); // what lies below the resting pointer has changed

  virtual void paintBody(QPainter& painter, const QRect& body) = 0;
  virtual void paintGutter(QPainter& painter, const QRect& area) = 0;
  virtual void paintMinimap(QPainter& painter, const QRect& area) = 0;
  virtual int contentHeight() const = 0; // for the scroll bar
  // Range, size, scroll or theme changed: fetch what is missing.
  virtual void visibleWasChanged() = 0;
  virtual void hovered(const QPoint& at) = 0;
  virtual void clicked(const QPoint& at, Qt::KeyboardModifiers modifiers) = 0;
  virtual void doubleClicked(const QPoint& at) = 0;
  virtual bool keyPressed(QKeyEvent* event);
  // Whether a drag that begins at this place of the gutter moves what lies there; it then goes to `rowDragged` and does not pan.
  virtual bool movesRow(const QPoint& from) const;
  virtual void rowDragged(const QPoint& from, const QPoint& to, bool ended);
  // Where a ruler drawn near `at` is meant to begin or end, e.g. at the edge of a slice; `tick` is below the pointer.
  virtual int64_t snapped(const QPoint& at, int64_t tick) const;

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
  enum class Drag { None, Pan, Zone, Minimap, Ruler, Shift, Row };
  void layoutScroll();
  void changeVisible(reports::TickRange range);
  void paintAxis(QPainter& painter, const QRect& area);
  void paintOverview(QPainter& painter, const QRect& area);
  OverviewFrame::Part visiblePart() const;
  void dragOverview(int x);
  void paintRuler(QPainter& painter, const QRect& axis, const QRect& area);
  void measure(reports::TickRange range);
  void paintMarkers(QPainter& painter) const;
  void paintMarkersOnMap(QPainter& painter, const QRect& map) const;
  int markerAt(const QPoint& at) const; // -1: none
  bool goToMarker(bool forward);
  QRect markerArea() const;
  QRect minimapArea() const;
  QRect axisArea() const;
  void hoverAt(const QPoint& at);
  void zoomToZone();

  const theme::Theme& m_theme;
  theme::Format m_format;
  reports::TickRange m_extent{0, 1}, m_visible{0, 1};
  QScrollBar* m_scroll;
  HoverCard* m_card;
  int m_gutter = 192;
  bool m_nanoseconds = false, m_minimap = true, m_axis = true, m_everything = true;
  Drag m_drag = Drag::None;
  OverviewFrame m_overviewFrame;
  QPoint m_pressAt;
  reports::TickRange m_pressVisible{0, 1};
  int m_pressScroll = 0;
  bool m_moved = false;
  int64_t m_zoneFrom = 0, m_zoneTo = 0;
  int64_t m_rulerFrom = 0;
  reports::TickRange m_measured;
  std::vector<Marker> m_markers;
  int m_pressedMarker = -1, m_lastMarker = -1; // m_lastMarker: where B went, as long as nobody moved on
  int64_t m_hoverTick = -1, m_cursorTick = -1;
  QPoint m_hoverAt;
};

} // namespace ui::plot

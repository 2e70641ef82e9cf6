// The content of a time view: paints below the axis, in the gutter and in the minimap, and finds the item at a position of the widget.
#pragma once

#include <QString>
#include <Qt>

#include <cstdint>

class QKeyEvent;
class QPainter;
class QPoint;
class QRect;

namespace ui::plot {

class TimeContent {
public:
  virtual ~TimeContent() = default;
  virtual void paintBody(QPainter& painter, const QRect& body) = 0;
  virtual void paintGutter(QPainter& painter, const QRect& area) = 0;
  virtual void paintMinimap(QPainter&, const QRect&) {}
  virtual int contentHeight() const = 0; // for the scroll bar
  // Fetches missing data, after a change of the range, the size, the scroll position or the theme.
  virtual void visibleWasChanged() = 0;
  virtual void hovered(const QPoint& at) = 0;
  virtual void clicked(const QPoint&, Qt::KeyboardModifiers) {}
  virtual void doubleClicked(const QPoint& at) = 0;
  virtual bool keyPressed(QKeyEvent*) { return false; }
  // Whether a drag from this position of the gutter moves the row there (reported to `rowDragged`) instead of panning.
  virtual bool movesRow(const QPoint&) const { return false; }
  virtual void rowDragged(const QPoint& /*from*/, const QPoint& /*to*/, bool /*ended*/) {}
  // The tick at which a ruler drawn near a position begins or ends, e.g. the edge of a slice; `tick` is below the pointer.
  virtual int64_t snapped(const QPoint&, int64_t tick) const { return tick; }
  virtual QString shows() const = 0;                      // describes the plot for screen readers
  virtual QString arrowKeys() const { return QString(); } // describes the arrow keys, if they do anything
};

} // namespace ui::plot

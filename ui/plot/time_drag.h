// A drag over a time view from press to release. Its start position and keys decide what it does; it computes the range or span to
// show or measure, and the view applies it.
#pragma once

#include "ui/plot/time_scene.h"

#include <utility>

class QMouseEvent;

namespace ui::plot {

class TimeContent;

class TimeDrag {
public:
  enum class Kind { None, Pan, Zone, Minimap, Ruler, Shift, Row };

  void press(const QMouseEvent& event, const TimeScene& scene, int scrolled, const TimeContent& content);
  void moveTo(const QPoint& at);
  Kind release() { return std::exchange(m_kind, Kind::None); }
  Kind kind() const { return m_kind; }
  bool hasMoved() const { return m_hasMoved; } // false: the press was a click
  const QPoint& from() const { return m_from; }

  int scrolledTo(const QPoint& at) const { return m_scrolled - (at.y() - m_from.y()); }
  reports::TickRange pannedTo(const QPoint& at, const TimeScene& scene) const;
  reports::TickRange overviewTo(int x, const TimeScene& scene) const;
  int64_t shiftedTo(const QPoint& at, const TimeScene& scene) const; // ticks
  reports::TickRange span() const;                                   // of a ruler or a zone
  reports::TickRange spanTo(int64_t tick);
  void paintZone(QPainter& painter, const TimeScene& scene) const;

private:
  Kind kindOf(const QMouseEvent& event, const TimeScene& scene, const TimeContent& content) const;

  Kind m_kind = Kind::None;
  QPoint m_from;
  bool m_hasMoved = false;
  int m_scrolled = 0;
  reports::TickRange m_visible{0, 1}; // at the press
  int64_t m_fromTick = 0, m_toTick = 0;
  OverviewFrame m_overviewFrame;
};

} // namespace ui::plot

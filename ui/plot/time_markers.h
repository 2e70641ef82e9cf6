// The flags of a time view in a band above its axis, each with its text: their positions and their order.
#pragma once

#include "ui/plot/time_scene.h"

#include <utility>
#include <vector>

namespace ui::plot {

class TimeMarkers {
public:
  struct Marker {
    reports::TickRange ticks;
    QString text;
    bool operator==(const Marker&) const = default;
  };

  bool set(std::vector<Marker> markers); // false: nothing changed
  bool isEmpty() const { return m_markers.empty(); }
  const Marker& operator[](int marker) const { return m_markers[std::size_t(marker)]; }
  QRect placeOf(int marker, const TimeScene& scene) const; // rectangle of its flag in the widget; empty: out of sight
  int at(const QPoint& at, const TimeScene& scene) const;  // -1: none
  void press(int marker) { m_pressed = marker; }
  int release() { return std::exchange(m_pressed, -1); } // returns the pressed flag (-1: none) and resets it
  int next(bool forward, const TimeScene& scene) const;  // -1: there are none
  void wentTo(int marker) { m_last = marker; }
  void paint(QPainter& painter, const TimeScene& scene) const;
  void paintOnMap(QPainter& painter, const TimeScene& scene) const;

private:
  std::vector<Marker> m_markers;
  int m_pressed = -1, m_last = -1; // m_last: the flag that wentTo() named
};

} // namespace ui::plot

#include "ui/plot/overview_frame.h"

#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace ui::plot {

namespace {

constexpr int kGrip = 5;      // a press within this many pixels of an end drags the end
constexpr int kLeastWide = 8; // pixels of the frame

struct Ends {
  int left, right;
};

Ends endsOf(const QRect& area, OverviewFrame::Part part) {
  const int left = area.left() + int(part.begin * area.width());
  return {left, std::max(left + kLeastWide, area.left() + int(part.end * area.width()))};
}

} // namespace

OverviewFrame::Grip OverviewFrame::gripAt(int x, const QRect& area, Part part) {
  const auto [left, right] = endsOf(area, part);
  const int inside = std::min(kGrip, (right - left) / 4); // so that the middle of a short part can be dragged, too
  if (x >= left - kGrip && x <= left + inside) return Grip::Begin;
  if (x >= right - inside && x <= right + kGrip) return Grip::End;
  return x > left && x < right ? Grip::Middle : Grip::None;
}

Qt::CursorShape OverviewFrame::cursorAt(int x, const QRect& area, Part part) {
  switch (gripAt(x, area, part)) {
  case Grip::Begin:
  case Grip::End: return Qt::SizeHorCursor;
  case Grip::Middle: return part.isAll() ? Qt::ArrowCursor : Qt::OpenHandCursor;
  case Grip::None: break;
  }
  return Qt::PointingHandCursor;
}

double OverviewFrame::shareOf(int x) const {
  return std::clamp(double(x - m_area.left()) / std::max(1, m_area.width()), 0.0, 1.0);
}

void OverviewFrame::press(int x, const QRect& area, Part part, double least) {
  m_area = area, m_part = part, m_least = std::min(least, 1.0), m_grip = gripAt(x, area, part);
  m_offset = m_grip == Grip::None ? (part.end - part.begin) / 2 : shareOf(x) - (m_grip == Grip::End ? part.end : part.begin);
}

OverviewFrame::Part OverviewFrame::draggedTo(int x) const {
  const double at = shareOf(x) - m_offset, size = m_part.end - m_part.begin;
  switch (m_grip) {
  case Grip::Begin: return {std::clamp(at, 0.0, std::max(0.0, m_part.end - m_least)), m_part.end};
  case Grip::End: return {m_part.begin, std::clamp(at, std::min(1.0, m_part.begin + m_least), 1.0)};
  case Grip::Middle:
  case Grip::None: break;
  }
  const double begin = std::clamp(at, 0.0, std::max(0.0, 1 - size));
  return {begin, begin + size};
}

void OverviewFrame::paint(QPainter& painter, const theme::Tokens& t, const QRect& area, Part part) {
  const auto [left, right] = endsOf(area, part);
  for (const int x : {left - 1, right - 2})
    painter.fillRect(QRect(x, area.top() + 9, 3, area.height() - 19), part.isAll() ? t.line : t.accent);
  if (part.isAll()) return;
  QColor veil = t.background;
  veil.setAlpha(190);
  painter.fillRect(QRect(area.left(), area.top(), left - area.left(), area.height()), veil);
  painter.fillRect(QRect(right, area.top(), area.right() - right + 1, area.height()), veil);
  painter.setPen(t.accent);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRect(left, area.top(), right - left - 1, area.height() - 2));
}

} // namespace ui::plot

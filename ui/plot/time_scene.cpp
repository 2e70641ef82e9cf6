#include "ui/plot/time_scene.h"

#include "ui/theme/theme.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {
constexpr int kAxis = 26, kMarkerBand = 20;
} // namespace

QRect TimeLayout::minimap() const {
  return hasMinimap ? QRect(gutter, 1, std::max(1, size.width() - gutter - 1 - kScrollWidth), theme::kMinimap)
                    : QRect(gutter, 1, 1, 0);
}

QRect TimeLayout::markers() const {
  const QRect above = minimap();
  return {gutter, above.top() + above.height(), std::max(1, size.width() - gutter - 1 - kScrollWidth),
          hasMarkers ? kMarkerBand : 0};
}

QRect TimeLayout::axis() const {
  const QRect above = markers();
  return {gutter, above.top() + above.height(), above.width(), hasAxis ? kAxis : 0};
}

QRect TimeLayout::body() const {
  const QRect above = axis();
  const int top = above.top() + above.height();
  return {gutter, top, above.width(), std::max(1, size.height() - top - 1)};
}

QString TickFormat::duration(int64_t ticks) const {
  if (amount && amount->isBytes) return format.bytes(reports::Bytes(ticks / amount->ticksPerUnit));
  if (amount) return theme::count(ticks / amount->ticksPerUnit);
  if (isWithoutUnit) return QObject::tr("%1 ticks").arg(theme::countShort(double(ticks)));
  return isNanoseconds ? format.nanoseconds(reports::Nanoseconds(ticks)) : format.cycles(reports::Cycles(ticks));
}

QString TickFormat::exact(int64_t ticks) const {
  if (amount && amount->isBytes) return format.bytesExact(reports::Bytes(ticks / amount->ticksPerUnit));
  if (amount) return theme::count(ticks / amount->ticksPerUnit);
  if (isWithoutUnit) return QObject::tr("%1 ticks").arg(theme::count(ticks));
  return isNanoseconds ? theme::count(ticks) + QStringLiteral(" ns") : format.cyclesExact(reports::Cycles(ticks));
}

QString TickFormat::at(int64_t tick, double ticksPerPixel) const {
  constexpr double kPixels = 100; // moment() shows a hundredth of the distance
  const auto apart = std::max<int64_t>(1, std::llround(ticksPerPixel * kPixels));
  if (amount) return duration(tick);
  if (isWithoutUnit) return theme::count(tick);
  if (isNanoseconds) return theme::Format::moment(reports::Nanoseconds(tick), reports::Nanoseconds(apart));
  return format.showsSeconds() ? format.moment(reports::Cycles(tick), reports::Cycles(apart)) : theme::count(tick);
}

TimeTicks TickFormat::ticks(const TimeScale& scale) const {
  if (amount) return amount->isBytes ? byteTicks(scale, amount->ticksPerUnit, format) : countTicks(scale, amount->ticksPerUnit);
  if (isWithoutUnit) return timeTicks(scale, theme::Format()); // plain counts
  return isNanoseconds ? nanosecondTicks(scale) : timeTicks(scale, format);
}

OverviewFrame::Part TimeScene::visiblePart() const {
  const double whole = double(extent.size());
  return {double(visible.begin - extent.begin) / whole, double(visible.end - extent.begin) / whole};
}

} // namespace ui::plot

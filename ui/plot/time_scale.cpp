#include "ui/plot/time_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ui::plot {

namespace {

__extension__ using Wide = __int128;
constexpr int64_t kFar = int64_t(1) << 62; // so that differences of two ticks never overflow
constexpr int kClosest = 8;                // pixels per tick at most, when zoomed in
constexpr int kMaxDecimals = 6;

int64_t floorDiv(Wide a, int64_t b) {
  Wide q = a / b;
  if (a % b != 0 && a < 0) --q;
  return int64_t(q);
}

reports::TickRange keptInside(reports::TickRange range, reports::TickRange extent) {
  const int64_t size = std::min(range.size(), extent.size());
  const int64_t begin = std::clamp(range.begin, extent.begin, extent.end - size);
  return {begin, begin + size};
}

} // namespace

double niceStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(least, 1e-300))));
  for (const double m : {1.0, 2.0, 5.0})
    if (m * power >= least * 0.999999) return m * power;
  return 10 * power;
}

namespace {
struct Prefix {
  double size;
  const char* name;
};

// Labels `value` (a multiple of `step`) in units of `prefix`, with the decimals the step needs.
QString label(double value, double step, double prefix) {
  const int decimals = std::clamp(int(std::ceil(-std::log10(step / prefix) - 1e-9)), 0, 12);
  QString text = QString::number(value / prefix, 'f', decimals);
  const qsizetype point = text.indexOf('.');
  for (qsizetype i = (point < 0 ? text.size() : point) - 3; i > (text.startsWith('-') ? 1 : 0); i -= 3)
    text.insert(i, QChar(0x202F));
  return text.replace('-', QChar(0x2212));
}

TimeTicks ticksOver(const TimeScale& scale, int spacing, double perUnit, double smallestStep, std::span<const Prefix> prefixes,
                    const QString& unitName) {
  TimeTicks result;
  const double step = std::max(smallestStep, niceStep(scale.ticksPerPixel() * spacing / perUnit));
  const double from = double(scale.visible().begin) / perUnit, to = double(scale.visible().end) / perUnit;
  const double size = std::max(std::abs(from), std::abs(to));
  // The largest prefix that suits the far end, unless it would need too many decimals.
  Prefix chosen = prefixes.front();
  for (const Prefix& p : prefixes)
    if (size >= p.size && -std::log10(step / p.size) <= kMaxDecimals) chosen = p;
  result.unit = QString::fromUtf8(chosen.name) + unitName;
  for (double k = std::ceil(from / step); k * step <= to && result.ticks.size() < 200; ++k) {
    const double value = k * step;
    result.ticks.push_back({int64_t(std::llround(value * perUnit)), label(value, step, chosen.size)});
  }
  return result;
}

constexpr std::array<Prefix, 4> kCount{{{1, ""}, {1e3, "k "}, {1e6, "M "}, {1e9, "G "}}};
constexpr std::array<Prefix, 1> kByte{{{1, "B"}}};
constexpr std::array<Prefix, 4> kPlain{{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}}};
constexpr std::array<const char*, 5> kBinary{"", "Ki", "Mi", "Gi", "Ti"}, kDecimal{"", "k", "M", "G", "T"};
constexpr std::array<Prefix, 4> kTime{{{1e-9, "n"}, {1e-6, "µ"}, {1e-3, "m"}, {1, ""}}};

} // namespace

TimeScale::TimeScale(reports::TickRange visible, int width) : m_visible(visible), m_width(std::max(width, 1)) {
  m_visible.begin = std::clamp(m_visible.begin, -kFar, kFar - 1);
  m_visible.end = std::clamp(m_visible.end, m_visible.begin + 1, kFar);
}

double TimeScale::xOf(int64_t tick) const {
  return double(std::clamp(tick, -kFar, kFar) - m_visible.begin) * m_width / double(m_visible.size());
}

int TimeScale::columnOf(int64_t tick) const {
  if (tick < m_visible.begin) return -1;
  if (tick >= m_visible.end) return m_width;
  return int(Wide(tick - m_visible.begin) * m_width / m_visible.size());
}

int64_t TimeScale::tickAt(double x) const {
  const double whole = std::floor(x);
  const int64_t base = floorDiv(Wide(int64_t(whole)) * m_visible.size(), m_width);
  return m_visible.begin + base + int64_t((x - whole) * ticksPerPixel());
}

reports::Range<int> TimeScale::columnsOf(reports::TickRange interval) const {
  if (!interval.overlaps(m_visible)) return {0, 0};
  const int first = std::max(0, columnOf(interval.begin));
  const int last = std::min(m_width - 1, columnOf(interval.end - 1));
  return {first, std::max(first, last) + 1};
}

reports::TickRange TimeScale::zoomed(double factor, double x, reports::TickRange extent) const {
  const double wanted = double(m_visible.size()) * factor;
  const int64_t least = std::min<int64_t>(extent.size(), std::max<int64_t>(1, m_width / kClosest));
  const int64_t size = std::clamp<int64_t>(wanted >= double(extent.size()) ? extent.size() : std::llround(wanted), least,
                                           std::max(least, extent.size()));
  const double share = std::clamp(x / m_width, 0.0, 1.0);
  const int64_t anchor = tickAt(std::clamp(x, 0.0, double(m_width)));
  return keptInside({anchor - int64_t(share * double(size)), anchor - int64_t(share * double(size)) + size}, extent);
}

reports::TickRange TimeScale::panned(double pixels, reports::TickRange extent) const {
  const int64_t by = std::llround(pixels * ticksPerPixel());
  return keptInside({m_visible.begin + by, m_visible.end + by}, extent);
}

TimeTicks timeTicks(const TimeScale& scale, const theme::Format& format, int spacing) {
  if (format.showsSeconds()) return ticksOver(scale, spacing, format.clockHz(), 1 / format.clockHz(), kTime, QStringLiteral("s"));
  return ticksOver(scale, spacing, 1, 1, kCount, QStringLiteral("cycles"));
}

TimeTicks nanosecondTicks(const TimeScale& scale, int spacing) {
  return ticksOver(scale, spacing, 1e9, 1e-9, kTime, QStringLiteral("s"));
}

TimeTicks byteTicks(const TimeScale& scale, int64_t ticksPerByte, const theme::Format& format, int spacing) {
  const theme::MemoryUnit unit = format.units().memory;
  if (unit == theme::MemoryUnit::Bytes) return ticksOver(scale, spacing, double(ticksPerByte), 1, kByte, QString());
  const double thousand = unit == theme::MemoryUnit::Binary ? 1024 : 1000;
  const double most = double(std::max(std::abs(scale.visible().begin), std::abs(scale.visible().end))) / double(ticksPerByte);
  std::size_t power = 0;
  double size = 1;
  // Ticks are round in the unit that is printed.
  for (; power + 1 < kBinary.size() && most >= size * thousand; ++power) size *= thousand;
  const Prefix prefix{1, unit == theme::MemoryUnit::Binary ? kBinary[power] : kDecimal[power]};
  return ticksOver(scale, spacing, double(ticksPerByte) * size, 1 / size, std::span(&prefix, 1), QStringLiteral("B"));
}

TimeTicks countTicks(const TimeScale& scale, int64_t ticksPerCount, int spacing) {
  return ticksOver(scale, spacing, double(ticksPerCount), 1, kPlain, QString());
}

} // namespace ui::plot

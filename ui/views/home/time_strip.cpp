#include "ui/views/home/time_strip.h"

#include "ui/theme/theme.h"

#include <QPainter>
#include <QStringList>

#include <cmath>
#include <numeric>

namespace ui::home {

namespace {

constexpr int kStripHeight = 5, kSwatch = 8; // pixels

reports::Activity activityOf(std::size_t part) {
  using enum reports::Activity;
  static constexpr std::array<reports::Activity, kTimeParts> kActivities{Compute, InternalExchange, Sync, HostStream, Idle};
  return kActivities[part];
}
QString nameOf(std::size_t part) {
  const std::array<QString, kTimeParts> names{TimeStrip::tr("compute"), TimeStrip::tr("exchange"), TimeStrip::tr("sync"),
                                              TimeStrip::tr("host"), TimeStrip::tr("idle")};
  return names[part];
}
int64_t sumOf(const TimeParts& parts) { return std::accumulate(parts.begin(), parts.end(), int64_t(0)); }

} // namespace

QString timeText(const TimeParts& parts) {
  const double all = double(sumOf(parts));
  QStringList words;
  for (std::size_t i = 0; i < kTimeParts && all > 0; ++i)
    if (const auto share = std::lround(100.0 * double(parts[i]) / all); share > 0)
      words += QStringLiteral("%1 %2 %").arg(nameOf(i)).arg(share);
  return words.join(QStringLiteral(", "));
}

TimeStrip::TimeStrip(const theme::Theme& theme, const TimeParts& parts, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_parts(parts) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setFixedHeight(kStripHeight);
  setAccessibleName(tr("Time of the default run: %1").arg(timeText(parts)));
}

void TimeStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const int64_t all = sumOf(m_parts);
  int64_t before = 0;
  for (std::size_t i = 0; i < kTimeParts && all > 0; ++i) {
    const auto at = [&](int64_t cycles) { return int(std::lround(double(width()) * double(cycles) / double(all))); };
    const int left = at(before), right = at(before + m_parts[i]);
    painter.fillRect(QRect(left, 0, right - left, height()), m_theme.activity(activityOf(i)));
    before += m_parts[i];
  }
}

TimeLegend::TimeLegend(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setAccessibleName(tr("Colours of the strips: where the time of a default run goes"));
}

QSize TimeLegend::sizeHint() const {
  int width = 0;
  for (std::size_t i = 0; i < kTimeParts; ++i)
    width += kSwatch + theme::kHalf + fontMetrics().horizontalAdvance(nameOf(i)) + theme::kGrid;
  return {width, fontMetrics().height()};
}

void TimeLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  int x = 0;
  for (std::size_t i = 0; i < kTimeParts; ++i) {
    painter.fillRect(QRect(x, (height() - kSwatch) / 2, kSwatch, kSwatch), m_theme.activity(activityOf(i)));
    x += kSwatch + theme::kHalf;
    painter.setPen(m_theme.tokens().secondary);
    const int width = fontMetrics().horizontalAdvance(nameOf(i));
    painter.drawText(QRect(x, 0, width + 1, height()), Qt::AlignLeft | Qt::AlignVCenter, nameOf(i));
    x += width + theme::kGrid;
  }
}

} // namespace ui::home

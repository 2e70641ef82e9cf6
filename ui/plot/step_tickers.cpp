#include "ui/plot/step_tickers.h"

#include "ui/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace ui::plot {

namespace {

constexpr int kPositionTicks = 8, kValueTicks = 6;
constexpr int kLabelRoom = 24;     // pixels between two labelled values
constexpr int kBetweenLabels = 20; // pixels between two labels

// Labels whole positions only, with the plot's own text; as many as fit.
class PositionTicker : public QCPAxisTicker {
public:
  PositionTicker(const QCPAxisRect& rect, const theme::Theme& theme, const StepScene& scene)
      : m_rect(rect), m_theme(theme), m_scene(scene) {}

protected:
  double getTickStep(const QCPRange& range) override {
    const int label = QFontMetrics(m_theme.small()).horizontalAdvance(theme::count(m_scene.series.count())) + kBetweenLabels;
    const int most = std::clamp(m_rect.width() / std::max(1, label), 1, kPositionTicks);
    return std::max(1.0, cleanMantissaAbove(range.size() / most));
  }
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    const auto position = int64_t(std::llround(tick));
    return position >= 0 && position < m_scene.series.count() ? m_scene.positionText(position) : theme::count(position);
  }

private:
  // 1, 2, 2.5 or 5 times a power of ten, never below `least`: rounding down would make labels overlap.
  static double cleanMantissaAbove(double least) {
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double m : {1.0, 2.0, 2.5, 5.0})
      if (m * power >= least && (m != 2.5 || power >= 10)) return m * power;
    return 10 * power;
  }
  const QCPAxisRect& m_rect;
  const theme::Theme& m_theme;
  const StepScene& m_scene;
};

// Labels values with their unit; steps of bytes are powers of two in binary units, so that ticks read 128 KiB, 256 KiB.
class ValueTicker : public QCPAxisTicker {
public:
  ValueTicker(const QCPAxisRect& rect, const StepScene& scene) : m_rect(rect), m_scene(scene) {}

protected:
  double getTickStep(const QCPRange& range) override {
    const int most = std::clamp(m_rect.height() / kLabelRoom, 1, kValueTicks);
    const double least = range.size() / most;
    if (m_scene.isInBinaryUnits()) return std::max(1.0, std::exp2(std::ceil(std::log2(std::max(least, 1.0)))));
    // Ticks are round numbers of the printed unit.
    if (m_scene.kind == ValueKind::Cycles && m_scene.format.showsSeconds())
      return cleanMantissa(least / m_scene.format.clockHz()) * m_scene.format.clockHz();
    return std::max(1.0, cleanMantissa(least));
  }
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    const auto value = int64_t(std::llround(tick));
    // The caption of such an axis already says cycles.
    if (m_scene.kind == ValueKind::Cycles && !m_scene.format.showsSeconds())
      return theme::withoutZeros(theme::countShort(double(value)));
    return theme::withoutZeros(m_scene.valueText(value));
  }

private:
  const QCPAxisRect& m_rect;
  const StepScene& m_scene;
};

// Labelled powers: of four for bytes, of ten for the rest.
class LogTicker : public QCPAxisTickerLog {
public:
  explicit LogTicker(const StepScene& scene) : m_scene(scene) {
    setLogBase(scene.isInBinaryUnits() ? 4 : 10);
    setSubTickCount(0);
  }

protected:
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return theme::withoutZeros(m_scene.valueText(int64_t(std::llround(tick))));
  }

private:
  const StepScene& m_scene;
};

} // namespace

QSharedPointer<QCPAxisTicker> positionTicker(const QCPAxisRect& rect, const theme::Theme& theme, const StepScene& scene) {
  return QSharedPointer<PositionTicker>::create(rect, theme, scene);
}

QSharedPointer<QCPAxisTicker> valueTicker(const QCPAxisRect& rect, const StepScene& scene) {
  if (scene.isLogarithmic) return QSharedPointer<LogTicker>::create(scene);
  return QSharedPointer<ValueTicker>::create(rect, scene);
}

} // namespace ui::plot

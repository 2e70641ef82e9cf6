// Where the time of a sample's default run goes, as a strip in the colours of Trace, and the legend of these strips. The cycles
// are the saved figures of the sample, which a test compares with a fresh run.
#pragma once

#include <QString>
#include <QWidget>

#include <array>
#include <cstdint>

namespace ui::theme {
class Theme;
}

namespace ui::home {

inline constexpr std::size_t kTimeParts = 5;
using TimeParts = std::array<int64_t, kTimeParts>; // cycles of compute, exchange, sync, host, idle

// The keys of the saved figures, in the order of TimeParts.
inline constexpr std::array<const char*, kTimeParts> kTimeKeys{"compute_cycles", "exchange_cycles", "sync_cycles", "host_cycles",
                                                               "idle_cycles"};
// "compute 40 %, exchange 17 %, sync 12 %, host 32 %": the parts of at least half a percent; empty without cycles.
QString timeText(const TimeParts& parts);

class TimeStrip : public QWidget {
  Q_OBJECT

public:
  TimeStrip(const theme::Theme& theme, const TimeParts& parts, QWidget* parent = nullptr);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  const theme::Theme& m_theme;
  const TimeParts m_parts;
};

// A swatch and a name for each part.
class TimeLegend : public QWidget {
  Q_OBJECT

public:
  explicit TimeLegend(const theme::Theme& theme, QWidget* parent = nullptr);
  QSize sizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  const theme::Theme& m_theme;
};

} // namespace ui::home

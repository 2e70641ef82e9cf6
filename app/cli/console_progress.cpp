#include "app/cli/console_progress.h"

#include "app/cli/terminal_line.h"
#include "reports/core/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>

namespace app::cli {

namespace {

using Clock = std::chrono::steady_clock;

class TerminalProgress final : public reports::Progress {
public:
  explicit TerminalProgress(TerminalLine& line) : m_line(line) {}
  ~TerminalProgress() override { m_line.clear(); }
  void phase(std::string_view name) override {
    m_phase = name;
    draw(0);
  }
  void update(double fraction) override {
    if (Clock::now() - m_last > std::chrono::milliseconds(50)) draw(fraction);
  }

private:
  void draw(double fraction) {
    m_last = Clock::now();
    m_line.draw(fmt::format("{} {:.0f} %", m_phase, 100 * std::clamp(fraction, 0.0, 1.0)));
  }
  TerminalLine& m_line;
  std::string m_phase;
  Clock::time_point m_last;
};

class JsonProgress final : public reports::Progress {
public:
  explicit JsonProgress(std::ostream& err) : m_err(err) {}
  void phase(std::string_view name) override {
    m_phase = name;
    write(0);
  }
  void update(double fraction) override {
    if (fraction >= 1 ? m_written < 1 : Clock::now() - m_last > std::chrono::milliseconds(50)) write(fraction);
  }

private:
  void write(double fraction) {
    m_last = Clock::now();
    m_written = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0;
    const nlohmann::ordered_json line{{"phase", m_phase}, {"fraction", std::round(m_written * 1000) / 1000}};
    m_err << reports::jsonText(line) << std::endl;
  }
  std::ostream& m_err;
  std::string m_phase;
  Clock::time_point m_last;
  double m_written = 0;
};

} // namespace

void declareProgress(Options& command, ProgressStyle& style) {
  command
      .addWord(
          "--progress",
          [&style](const std::string& word) {
            style = word == "json" ? ProgressStyle::Json : word == "none" ? ProgressStyle::None : ProgressStyle::Automatic;
          },
          "progress on standard error: auto (only on a terminal), json or none")
      .check(isOneOf({"auto", "json", "none"}))
      .showDefault("auto");
}

std::unique_ptr<reports::Progress> makeProgress(const Context& context, ProgressStyle style) {
  if (style == ProgressStyle::Json) return std::make_unique<JsonProgress>(context.err);
  if (style == ProgressStyle::Automatic && context.line) return std::make_unique<TerminalProgress>(*context.line);
  return std::make_unique<reports::NoProgress>();
}

} // namespace app::cli

// `export REPORT`: the timelines of a report in formats of other tools.
#pragma once

#include "app/cli/command.h"
#include "app/cli/console_progress.h"

namespace app::cli {

class ExportCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "export"; }
  const char* summary() const override {
    return "Write a report as one HTML page, a plot or its operations as a graph, or its timelines for other tools";
  }

private:
  std::string m_report, m_format, m_output, m_what = "both", m_range, m_by = "time", m_view;
  int m_levels = 0;
  ProgressStyle m_progress = ProgressStyle::Automatic;
};

} // namespace app::cli

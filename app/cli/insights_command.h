// `tilescope-cli insights`: the problems of a report and what to try, ranked by possible saving.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class InsightsCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "insights"; }
  const char* summary() const override { return "List the problems of a report and what to try"; }

private:
  std::string m_report;
  bool m_json = false;
};

} // namespace app::cli

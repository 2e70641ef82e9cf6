// `summary REPORT`: the text of Poplar's profile summary, or JSON.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class SummaryCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "summary"; }
  const char* summary() const override { return "Show what a report says: target, graph, memory, execution"; }

private:
  std::string m_report;
  std::vector<std::string> m_budgets;
  bool m_json = false, m_plans = false, m_steps = false, m_variables = false;
};

} // namespace app::cli

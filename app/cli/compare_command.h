// `compare BASE OTHER`: what differs between two reports; nothing for a report and itself.
#pragma once

#include "app/cli/command.h"

namespace app::cli {

class CompareCommand final : public Command {
public:
  void declare(CLI::App& command) override;
  int run(Context& context) override;
  const char* name() const override { return "compare"; }
  const char* summary() const override { return "Show what differs between two reports"; }

private:
  std::string m_base, m_other;
  std::vector<std::string> m_budgets;
  bool m_json = false;
};

} // namespace app::cli

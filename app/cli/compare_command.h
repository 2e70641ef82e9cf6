// `compare BASE OTHER…`: the differences of reports, and their causes. Exit code 1 if a difference is over its budget.
#pragma once

#include "analyser/compare/compare.h"
#include "app/cli/command.h"

#include <string>
#include <vector>

namespace app::cli {

class CompareCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "compare"; }
  const char* summary() const override { return "Say what differs between reports, and why"; }

private:
  analyser::compare::PairingRules rules() const;
  std::string print(const std::vector<analyser::compare::Comparison>& comparisons) const;

  std::string m_base;
  std::vector<std::string> m_others, m_budgets, m_together, m_apart;
  std::size_t m_top = 20;
  bool m_json = false, m_markdown = false, m_html = false, m_exactNames = false;
};

} // namespace app::cli

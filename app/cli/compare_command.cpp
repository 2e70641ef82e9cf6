#include "app/cli/compare_command.h"

#include "analyser/compare/compare.h"

#include <CLI/CLI.hpp>

#include <iostream>

namespace app::cli {

void CompareCommand::declare(CLI::App& command) {
  command.add_option("BASE", m_base, "the report to compare with")->required();
  command.add_option("OTHER", m_other, "the report to compare; differences are OTHER - BASE")->required();
  command.add_flag("--json", m_json, "print JSON");
}

int CompareCommand::run(Context& context) {
  const auto base = analyser::Session::open(m_base), other = analyser::Session::open(m_other);
  const auto comparison = analyser::compare::compare(*base, *other, context.stop);
  context.out << (m_json ? analyser::compare::comparisonJson(comparison) : analyser::compare::comparisonText(comparison));
  return kDone;
}

} // namespace app::cli

#include "app/cli/compare_command.h"

#include "analyser/compare/compare.h"
#include "app/cli/budget.h"
#include "app/cli/checks.h"

#include <CLI/CLI.hpp>

#include <iostream>

namespace app::cli {

namespace {
std::vector<BudgetFigure> figuresOf(const analyser::compare::Comparison& comparison) {
  std::vector<BudgetFigure> figures;
  for (const auto& f : comparison.totals) figures.push_back({f.key, f.difference(), f.relative()});
  for (const auto& f : comparison.memoryByCategory)
    figures.push_back({"memory.by_category." + f.key, f.difference(), f.relative()});
  addAbsentCategories(figures);
  return figures;
}
} // namespace

void CompareCommand::declare(CLI::App& command) {
  command.add_option("BASE", m_base, "the report to compare with")->required()->check(isNamed());
  command.add_option("OTHER", m_other, "the report to compare; differences are OTHER - BASE")->required()->check(isNamed());
  command.add_flag("--json", m_json, "print JSON");
  command
      .add_option("--fail-if", m_budgets,
                  "KEY>LIMIT or KEY<LIMIT: exit with 1 if a difference is over its budget, as total_cycles>+2% or "
                  "memory.max_tile_bytes>0; keys are those of --json; may be repeated")
      ->allow_extra_args(false);
}

int CompareCommand::run(Context& context) {
  const auto budgets = readBudgets(m_budgets, BudgetKind::Differences);
  const auto base = analyser::Session::open(m_base), other = analyser::Session::open(m_other);
  const auto comparison = analyser::compare::compare(*base, *other, context.stop);
  const std::string broken = brokenBudgets(budgets, figuresOf(comparison));
  context.out << (m_json ? analyser::compare::comparisonJson(comparison) : analyser::compare::comparisonText(comparison));
  context.err << broken;
  return broken.empty() ? kDone : kAnswerIsNo;
}

} // namespace app::cli

#include "app/cli/compare_command.h"

#include "app/cli/budget.h"
#include "app/cli/options.h"
#include "app/cli/row_budgets.h"
#include "app/cli/workload_source.h"

#include <algorithm>
#include <ostream>

namespace app::cli {

using analyser::compare::Comparison;
using analyser::compare::TextFormat;

namespace {
constexpr std::string_view kPerSample = ".per_sample";

std::string keysOfDifferences() {
  std::vector<BudgetFigure> figures;
  for (const auto& [key, unit] : analyser::compare::figureKeys()) figures.push_back({key, 0, {}, {}});
  addAbsentCategories(figures, {});
  return keysText(figures) + "\n  All keys except those of counts also with " + std::string(kPerSample) + ", as total_cycles" +
         std::string(kPerSample) +
         "\n  op(\"NAME\") with .cycles .compute .exchange .sync .host .bytes .code_bytes, and var(\"NAME\").bytes\n"
         "  For two host traces, label(\"NAME\") with .seconds .mean_seconds .calls; for two profiles of bytes or counts .bytes "
         "or .count";
}

BudgetFigures figuresOf(const Comparison& comparison, const std::vector<Budget>& budgets) {
  BudgetFigures all;
  const auto add = [&](const std::string& key, const analyser::compare::Figure& f) {
    all.figures.push_back({key, f.difference(), f.relative(), f.missing});
    if (!analyser::compare::hasSamples(f.unit)) return;
    BudgetFigure each{key + std::string(kPerSample), 0, {}, f.missing};
    if (f.basePerSample && f.otherPerSample) {
      each.value = *f.otherPerSample - *f.basePerSample;
      if (*f.basePerSample != 0) each.relative = each.value / *f.basePerSample;
    } else if (each.missing.empty()) {
      each.missing = "one of the reports does not state its number of samples";
    }
    all.figures.push_back(std::move(each));
  };
  for (const auto& f : comparison.totals) add(f.key, f);
  for (const auto& f : comparison.memoryByCategory) add("memory.by_category." + f.key, f);
  addAbsentCategories(all.figures, comparison.missingCategories);
  for (const auto& known : analyser::compare::figureKeys()) {
    const std::string& key = known.first;
    if (std::any_of(all.figures.begin(), all.figures.end(), [&](const BudgetFigure& f) { return f.key == key; })) continue;
    // Other figures that are not listed are 0 in both reports.
    const std::string compared = key == "host.bytes"        ? "profiles of bytes"
                                 : key == "host.count"      ? "profiles that count"
                                 : key.starts_with("host.") ? "host traces"
                                                            : "";
    all.figures.push_back({key, 0, {}, compared.empty() ? "" : "only a comparison of two " + compared + " has this figure"});
  }
  addRowFigures(budgets, comparison, all.figures);
  if (!comparison.baseFits) all.doesNotFit.push_back(comparison.base.path);
  if (!comparison.otherFits) all.doesNotFit.push_back(comparison.other.path);
  return all;
}
} // namespace

void CompareCommand::declare(Options& command) {
  command.footer(keysOfDifferences());
  command.addOption("BASE", m_base, "the report to compare with").required().check(isNamed());
  command.addOption("OTHER", m_others, "reports to compare with it, one to seven; differences are OTHER - BASE")
      .required()
      .expected(1, 7)
      .check(isNamed());
  const Option json = command.addFlag("--json", m_json, "print JSON: everything that differs");
  const Option markdown =
      command.addFlag("--markdown", m_markdown, "print Markdown, for a comment of a pull request").excludes(json);
  command.addFlag("--html", m_html, "print one HTML page").excludes(json).excludes(markdown);
  command.addOption("--top", m_top, "rows of each list; 0: all").check(isInRange(0, 1'000'000)).showDefault();
  command
      .addOption("--fail-if", m_budgets,
                 "KEY>LIMIT or KEY<LIMIT: exit with 1 if a difference is over its budget, e.g. total_cycles>+2% or "
                 "memory.max_tile_bytes>4KiB; keys are listed below; may be repeated")
      .oneValueEach();
  command
      .addOption("--pair", m_together,
                 "NAME=NAME: name of an operation in the base, and its name in the other report; may be repeated")
      .oneValueEach();
  command.addOption("--apart", m_apart, "operation that is never paired with one of another name; may be repeated")
      .oneValueEach();
  command.addFlag("--exact-names", m_exactNames, "pair equal names only: a renamed operation is one gone and one new");
}

analyser::compare::PairingRules CompareCommand::rules() const {
  analyser::compare::PairingRules rules;
  for (auto& [base, other] : keyValues(m_together, "--pair")) rules.together.emplace_back(base, other);
  rules.apart = {m_apart.begin(), m_apart.end()};
  if (m_exactNames) rules.leastConfidence = 2;
  return rules;
}

std::string CompareCommand::print(const std::vector<Comparison>& comparisons) const {
  if (m_json) return analyser::compare::comparisonJson(comparisons);
  const auto format = m_markdown ? TextFormat::Markdown : m_html ? TextFormat::Html : TextFormat::Plain;
  return analyser::compare::comparisonText(comparisons, format, m_top);
}

int CompareCommand::run(Context& context) {
  const auto budgets = readBudgets(m_budgets, BudgetKind::Differences);
  const auto base = analyser::Session::open(m_base);
  std::vector<Comparison> comparisons;
  std::string broken;
  for (const std::string& file : m_others) {
    const auto other = analyser::Session::open(file);
    comparisons.push_back(analyser::compare::compare(*base, *other, context.stop, rules()));
    const std::string lines = brokenBudgets(budgets, figuresOf(comparisons.back(), budgets));
    if (!lines.empty() && m_others.size() > 1) broken += file + ":\n";
    broken += lines;
  }
  context.out << print(comparisons);
  context.err << broken;
  return broken.empty() ? kDone : kAnswerIsNo;
}

} // namespace app::cli

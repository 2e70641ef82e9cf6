#include "app/cli/budget.h"

#include "analyser/session/format.h"
#include "reports/core/categories.h"
#include "reports/core/error.h"
#include "reports/core/join.h"
#include "reports/core/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace app::cli {

using reports::Error;
using reports::ErrorCode;

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct NumberUnit {
  std::string_view name;
  double factor;
  bool isBytes;
};
// A unit comes before the shorter ones with which it ends.
constexpr NumberUnit kUnits[] = {{"KiB", 1024, true},
                                 {"MiB", 1024. * 1024, true},
                                 {"GiB", 1024. * 1024 * 1024, true},
                                 {"kB", 1e3, true},
                                 {"MB", 1e6, true},
                                 {"GB", 1e9, true},
                                 {"B", 1, true},
                                 {"cycles", 1, false},
                                 {"k", 1e3, false},
                                 {"M", 1e6, false},
                                 {"G", 1e9, false}};

// Removes "KiB" from "12 KiB" and returns its factor; 1 without a unit. `isBytes`: the figure is in bytes; only such figures have
// byte units.
double takeUnit(std::string_view& number, bool isBytes) {
  for (const NumberUnit& unit : kUnits)
    if ((isBytes || !unit.isBytes) && number.ends_with(unit.name)) {
      number.remove_suffix(unit.name.size());
      number = trimmed(number);
      return unit.factor;
    }
  return 1;
}

Budget readBudget(const std::string& word, BudgetKind kind) {
  const bool isDifference = kind == BudgetKind::Differences;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::InvalidInput, why, "--fail-if " + word,
                isDifference ? "write it as total_cycles>+2% or memory.max_tile_bytes>4KiB" : "write it as total_cycles>100000");
  };
  // A quoted name, as in op("a<b").cycles>0, may contain any character.
  const std::size_t quoted = word.rfind("\")");
  const std::size_t at = word.find_first_of("<>", quoted == std::string::npos ? 0 : quoted);
  if (at == std::string::npos || trimmed(std::string_view(word).substr(0, at)).empty())
    refuse("this is not KEY>LIMIT or KEY<LIMIT");
  Budget budget{word, std::string(trimmed(std::string_view(word).substr(0, at))), word[at] == '>'};
  if (constexpr std::string_view kSlash = "/sample"; budget.key.ends_with(kSlash))
    budget.key.replace(budget.key.size() - kSlash.size(), kSlash.size(), ".per_sample");
  std::string_view number = trimmed(std::string_view(word).substr(at + 1));
  budget.isRelative = number.ends_with('%');
  double factor = 0.01;
  if (budget.isRelative)
    number.remove_suffix(1), number = trimmed(number);
  else
    factor = takeUnit(number, budget.key.find("bytes") != std::string::npos || budget.key.starts_with("memory"));
  if (number.starts_with('+')) number.remove_prefix(1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), budget.limit);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(budget.limit))
    refuse("'" + std::string(number) + "' is not a number");
  if (budget.isRelative && !isDifference) refuse("a percentage needs the difference of two reports");
  budget.limit *= factor;
  return budget;
}

const BudgetFigure& figureOf(const Budget& budget, const std::vector<BudgetFigure>& figures) {
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const auto& f) { return f.key == budget.key; });
  if (found != figures.end()) {
    if (!found->missing.empty()) throw Error(ErrorCode::NotFound, found->missing, "--fail-if " + budget.text);
    if (!std::isfinite(found->value))
      throw Error(ErrorCode::NotFound, "the figure is not a finite number", "--fail-if " + budget.text);
    return *found;
  }
  std::vector<std::string> keys;
  for (const auto& figure : figures) keys.push_back(figure.key);
  constexpr std::size_t kMost = 3;
  const std::string near = reports::joined(reports::nearestNames(budget.key, keys, kMost));
  throw Error(ErrorCode::NotFound, "no figure is called '" + budget.key + "'", "--fail-if " + budget.text,
              (near.empty() ? std::string() : "similar ones are " + near + "; ") + "--help lists all");
}

// Growth from zero exceeds any percentage.
double measured(const Budget& budget, const BudgetFigure& figure) {
  if (!budget.isRelative) return figure.value;
  if (figure.relative) return *figure.relative;
  return figure.value == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), figure.value);
}

} // namespace

void addAbsentCategories(std::vector<BudgetFigure>& figures, const std::string& missing) {
  for (std::size_t i = 0; i < reports::kMemoryCategoryCount; ++i) {
    const std::string key = "memory.by_category." + std::string(memoryCategoryName(static_cast<reports::MemoryCategory>(i)));
    if (std::none_of(figures.begin(), figures.end(), [&](const auto& f) { return f.key == key; }))
      figures.push_back({key, 0, {}, missing});
  }
}

std::string keysText(const std::vector<BudgetFigure>& figures) {
  constexpr std::size_t kWidth = 100; // as the rest of the help
  std::string text = "Keys of --fail-if:", line = " ";
  for (const BudgetFigure& figure : figures) {
    if (line.size() + figure.key.size() + 1 > kWidth) text += "\n" + line, line = " ";
    line += " " + figure.key;
  }
  return text + "\n" + line;
}

std::vector<Budget> readBudgets(const std::vector<std::string>& words, BudgetKind kind) {
  std::vector<Budget> budgets;
  for (const std::string& word : words) budgets.push_back(readBudget(word, kind));
  return budgets;
}

std::string brokenBudgets(const std::vector<Budget>& budgets, const BudgetFigures& all) {
  std::string lines;
  if (!budgets.empty())
    for (const std::string& report : all.doesNotFit)
      lines += "does not fit: " + analyser::printable(report) + ": a budget holds only for a program that fits\n";
  for (const Budget& budget : budgets) {
    const double value = measured(budget, figureOf(budget, all.figures));
    if (budget.isUpper ? value <= budget.limit : value >= budget.limit) continue;
    lines += "over budget: " + analyser::printable(budget.text) + ": it is ";
    if (!budget.isRelative)
      lines += fmt::format("{}", value);
    else if (std::isfinite(value))
      lines += fmt::format("{:+.3g} %", 100 * value);
    else
      lines += fmt::format("{} and was 0, so it has no percentage", figureOf(budget, all.figures).value);
    lines += "\n";
  }
  return lines;
}

} // namespace app::cli

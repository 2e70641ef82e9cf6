// Budgets of --fail-if for scripts: "total_cycles>+2%" or "memory.max_tile_bytes>600000". If a figure exceeds its budget, or a
// program does not fit, the answer is "no" (exit code 1). A misspelt key, or a figure that the report lacks, is an error (exit
// code 2), so a budget never passes on a missing figure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace app::cli {

struct Budget {
  std::string text, key;
  bool isUpper = true;     // true: fails above `limit`; false: fails below
  bool isRelative = false; // `limit` is a fraction of the base
  double limit = 0;
};

// A figure that can have a budget. Keys are the keys of `summary --json`, levels joined by dots.
struct BudgetFigure {
  std::string key;
  double value = 0;               // in a comparison: the difference
  std::optional<double> relative; // relative to the base; nothing if the base is absent or zero
  std::string missing;            // why the report lacks the figure, e.g. "the report holds no run"; empty if it has it
};

// The figures of one report, or of two.
struct BudgetFigures {
  std::vector<BudgetFigure> figures;
  std::vector<std::string> doesNotFit; // reports whose program does not fit: they fail every budget
};

// Adds the memory categories that a report does not list: they are 0. `missing`: why the report has no tile memory.
void addAbsentCategories(std::vector<BudgetFigure>& figures, const std::string& missing);

// "Keys of --fail-if:" and the keys in lines of readable length, for --help.
std::string keysText(const std::vector<BudgetFigure>& figures);

enum class BudgetKind { Values, Differences }; // only differences can be relative

// KEY>LIMIT or KEY<LIMIT, where LIMIT is a number or, for a difference, a percentage. A number may have a unit: k, M, G, cycles,
// or for bytes B, KiB, MiB, GiB, kB, MB, GB. Throws Error(InvalidInput) naming the word.
std::vector<Budget> readBudgets(const std::vector<std::string>& words, BudgetKind kind);

// A line for each budget that fails and, if there is any budget, for each report that does not fit. Throws Error(NotFound) for an
// unknown key or a missing figure, so call it before anything is printed.
std::string brokenBudgets(const std::vector<Budget>& budgets, const BudgetFigures& all);

} // namespace app::cli

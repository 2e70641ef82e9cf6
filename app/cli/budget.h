// Budgets of --fail-if for scripts: "total_cycles>+2%" or "memory.max_tile_bytes>600000". A figure over its budget makes the
// answer "no" (exit code 1), and so does a program that does not fit. A misspelt key, or a figure that the report lacks, is an
// error (2): a budget passes only on a figure that was read.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace app::cli {

struct Budget {
  std::string text, key;
  bool isUpper = true;     // fails above `limit`; otherwise below
  bool isRelative = false; // `limit` is a fraction of the base
  double limit = 0;
};

// A figure that can have a budget. Keys are those of `summary --json`, levels joined by dots.
struct BudgetFigure {
  std::string key;
  double value = 0;               // in a comparison: the difference
  std::optional<double> relative; // relative to the base; nothing if the base is absent or zero
  std::string missing;            // why the report does not hold it, e.g. "the report holds no run"; empty if it does
};

// The figures of one report, or of two.
struct BudgetFigures {
  std::vector<BudgetFigure> figures;
  std::vector<std::string> doesNotFit; // reports whose program does not fit: they fail every budget
};

// A report lists only the memory categories with bytes; the others are 0. `missing`: why it has no tile memory.
void addAbsentCategories(std::vector<BudgetFigure>& figures, const std::string& missing);

// "Keys of --fail-if:" and the keys in lines of readable length, for --help.
std::string keysText(const std::vector<BudgetFigure>& figures);

enum class BudgetKind { Values, Differences }; // only differences can be relative

// KEY>LIMIT or KEY<LIMIT, where LIMIT is a number or, for a difference, a percentage. A number may have a unit: k, M, G, cycles, or for bytes B,
// KiB, MiB, GiB, kB, MB, GB. Throws Error(InvalidInput) naming the word.
std::vector<Budget> readBudgets(const std::vector<std::string>& words, BudgetKind kind);

// A line for each budget that fails, and for each report that does not fit if there is any budget. Throws Error(NotFound) for an
// unknown key or a missing figure, so call it before anything is printed.
std::string brokenBudgets(const std::vector<Budget>& budgets, const BudgetFigures& all);

} // namespace app::cli

// How much each parameter of a sweep changes a figure of its runs.
#pragma once

#include "analyser/sweep/sweep_table.h"

#include <functional>

namespace analyser::sweep {

struct Importance {
  std::string parameter;
  // Main effect: the variance of the means of its values / the variance of the figure (eta squared). In a full grid the shares of
  // all parameters and of their interactions sum to 1.
  double share = 0;
  std::vector<std::pair<std::string, double>> means; // of each value, in the order of the runs
};

using Figure = std::function<std::optional<double>(const Point&)>;
// Over the runs that fit and have the figure, most important first; a figure that never differs has shares of 0. Empty with fewer
// than two runs.
std::vector<Importance> importanceOf(const SweepTable& table, const Figure& figure);

} // namespace analyser::sweep

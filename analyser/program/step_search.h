// Steps that match a text or an expression, and their share of the run.
#pragma once

#include "analyser/program/program_tree.h"

#include <functional>

namespace analyser::program {

struct StepsFound {
  std::vector<int> nodes; // indices of Program::nodes, in tree order
  // Over the run, including called functions. Each match counts once, even if it is inside another match or in a function that
  // another match calls.
  Cycles cycles;
  double share = 0; // of the program's cycles
};

// `isMeant` is called with the kind and the full name of each step.
StepsFound findSteps(const Program& program, const std::function<bool(const std::string&)>& isMeant);

} // namespace analyser::program

// The programs of two reports as one tree: steps are aligned from the roots down by kind and name, the n-th of a name with the n-th. Cycles are
// those of the run, including called functions, as analyser/program counts them: the control programs sum to the run, functions are listed beside
// them.
#pragma once

#include "analyser/compare/compare.h"

namespace analyser::compare {

struct ProgramDifferenceNode {
  int parent = -1; // index; parents come before their children
  int depth = 0;
  std::string kind, label, name; // name: the full path, from the base if it has the step
  reports::Activity activity{};
  Presence presence = Presence::Both;
  Cycles base, other;
  reports::ProgramStepId baseStep = {}, otherStep = {}; // invalid in the report that lacks it, and for a path
  Cycles difference() const { return other - base; }
};
struct ProgramDifference {
  std::vector<ProgramDifferenceNode> nodes; // depth first; children in the order of the other report, removed ones after them
  Cycles base, other;                       // over all roots
};
ProgramDifference programDifference(Session& base, Session& other, std::stop_token stop = {});
// The same cycles by the paths in the steps' names ("net/layer1/fc1/matmul"): the data of a flame graph.
ProgramDifference pathDifference(Session& base, Session& other, std::stop_token stop = {});

} // namespace analyser::compare

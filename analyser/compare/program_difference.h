// The programs of two reports as one tree: steps are aligned from the roots down (step_pairs.h). Cycles include called functions,
// like the inclusive cycles of analyser/program: the control programs sum to the run, and functions are listed in addition.
#pragma once

#include "analyser/compare/compare.h"
#include "analyser/program/program_tree.h"

namespace analyser::compare {

struct ProgramDifferenceNode {
  int parent = -1; // index; parents come before their children
  int depth = 0;
  std::string kind, label, name; // name: the full path, from the base if it has the step
  reports::Activity activity{};
  Presence presence = Presence::Both;
  Cycles base, other;
  int inBase = -1, inOther = -1; // indices of Program::nodes; -1 in the report that lacks it, and for a path
  Cycles difference() const { return other - base; }
};
struct ProgramDifference {
  std::vector<ProgramDifferenceNode> nodes; // depth first; children in the order of the other report, removed ones after them
  Cycles base, other;                       // over all roots
};
ProgramDifference programDifference(const program::Program& base, const program::Program& other, std::stop_token stop = {});
// The cycles by the paths in the steps' names ("net/layer1/fc1/matmul"): the data of a flame graph.
ProgramDifference pathDifference(const program::Program& base, const program::Program& other);

// "B takes 12 k cycles, A 10 k: 20 % more". `isSum`: the cycles include steps that run at the same time (Machine::stepsOverlap),
// so they are not the run time.
Sentence timeVerdict(Cycles base, Cycles other, bool isSum = false);
// timeVerdict(), and the number of steps that only one of the reports has.
Sentence programVerdict(const ProgramDifference& steps, bool isSum);

} // namespace analyser::compare

// The few operations of a program that do other work than before: another kind, other FLOPs, new or gone. If the rest of the
// program is unchanged, they are the change itself, and differences elsewhere (layouts, shared functions, code) follow from it.
#pragma once

#include "analyser/compare/compare.h"

#include <set>

namespace analyser::compare {

// Calls of shared functions depend on the program around them: they are not a layer's own work.
inline bool isOwnWork(const OperationDifference& o) { return o.kind != "CallCopy"; }

// Empty if the work of many operations changed, or if there are too few operations to judge. If the number of samples differs,
// FLOPs are not compared, because all of them differ.
std::set<const OperationDifference*> changedWork(const std::vector<OperationDifference>& all, bool samplesDiffer);

} // namespace analyser::compare

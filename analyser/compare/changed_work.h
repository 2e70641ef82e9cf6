// The few operations of a program that do other work than before: another kind, other FLOPs, new or gone. Where the rest of the program
// is what it was, they are the change itself, and what happened elsewhere (layouts, shared functions, code) followed from it.
#pragma once

#include "analyser/compare/compare.h"

#include <set>

namespace analyser::compare {

// Calls of shared functions come and go with the program around them: they are no layer's own work.
inline bool isOwnWork(const OperationDifference& o) { return o.kind != "outlining"; }

// Empty where many operations do other work, or where too few are there to tell. With another number of samples all FLOPs differ, and
// tell nothing.
std::set<const OperationDifference*> changedWork(const std::vector<OperationDifference>& all, bool samplesDiffer);

} // namespace analyser::compare

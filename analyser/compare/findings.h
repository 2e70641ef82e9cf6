// Why the totals of two reports differ: the causes, largest effect first. Cycles are split once and completely: host streams,
// sync and idle time by themselves, compute and exchange by operation, or by kind if many operations of a kind changed together.
// For several IPUs they are means, so that all causes sum to the difference of the runs.
#pragma once

#include "analyser/compare/aligned.h"

namespace analyser::compare {

// `operations` come from alignOperations(), equal ones included.
std::vector<Finding> findingsOf(const Side& base, const Side& other, const std::vector<OperationDifference>& operations,
                                const PeakOwners& peak, const Comparison& comparison);

} // namespace analyser::compare

// Liveness of two reports: matching steps of the two programs, and the variables live at both.
#pragma once

#include "analyser/compare/compare.h"

namespace analyser::compare {

// The step of `to` with the kind and name of a step of `from`, the n-th with the n-th; nullopt if there is none.
std::optional<int64_t> matchingStep(const liveness::Liveness& from, int64_t step, const liveness::Liveness& to);

// Variables live at a step of each report, including always-live ones, aligned by operation and name. Those live in both with the same bytes have
// no difference. Largest absolute difference first, then the largest.
std::vector<VariableDifference> aliveDifference(Session& base, int64_t baseStep, Session& other, int64_t otherStep,
                                                std::stop_token stop = {});

} // namespace analyser::compare

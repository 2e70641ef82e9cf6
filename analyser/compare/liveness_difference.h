// Liveness of two reports: matching steps of the two programs, and the variables live at both.
#pragma once

#include "analyser/compare/compare.h"

namespace analyser::compare {

// The step of `to` with the kind and name of a step of `from`, the n-th of them with the n-th; nullopt: it has none.
std::optional<int64_t> matchingStep(const liveness::Liveness& from, int64_t step, const liveness::Liveness& to);

// Variables alive at a step of each report, always-live ones included, aligned by operation and name. Those alive in both with the
// same bytes have no difference. Largest absolute difference first, then the largest.
std::vector<VariableDifference> aliveDifference(Session& base, int64_t baseStep, Session& other, int64_t otherStep,
                                                std::stop_token stop = {});

} // namespace analyser::compare

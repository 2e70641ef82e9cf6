// Liveness of two reports: matching steps of the two programs.
#pragma once

#include "analyser/liveness/liveness.h"

namespace analyser::compare {

// The step of `to` with the kind and name of a step of `from`, the n-th with the n-th; nullopt if there is none.
std::optional<int64_t> matchingStep(const liveness::Liveness& from, int64_t step, const liveness::Liveness& to);

} // namespace analyser::compare

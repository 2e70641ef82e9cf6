// Liveness of two reports: matching steps of the two programs.
#pragma once

#include "analyser/liveness/liveness.h"

namespace analyser::compare {

// The step of `to` with the kind and name of the given step of `from`; if several steps have both, the n-th matches the n-th.
// nullopt without a match.
std::optional<int64_t> matchingStep(const liveness::Liveness& from, int64_t step, const liveness::Liveness& to);

} // namespace analyser::compare

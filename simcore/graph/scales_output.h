// The one name that training in fp8 and the run share.
#pragma once

#include <string_view>

namespace simcore::graph {

// Prefix of the outputs with the exponents of the scales in a step with fp8, one output each for activations, weights and gradients.
inline constexpr std::string_view kScalesOutput = "fp8-scales/";

} // namespace simcore::graph

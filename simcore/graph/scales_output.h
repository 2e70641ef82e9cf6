// Prefix of names that training in fp8 and the run share.
#pragma once

#include <string_view>

namespace simcore::graph {

// Outputs with the exponents of the scales in a training step with fp8, one each for activations, weights and gradients.
inline constexpr std::string_view kScalesOutput = "fp8-scales/";

} // namespace simcore::graph

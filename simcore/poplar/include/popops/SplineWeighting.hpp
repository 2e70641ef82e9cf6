// Weights features by B-splines.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

namespace popops {

// input [E, I], weight [K, I, O], basis and weightIndex [E, S] of splineBasis() -> [E, O]: the sum over s of basis[e, s] times input[e] x
// weight[weightIndex[e, s]]. Throws poputil::poplibs_error for other shapes.
poplar::Tensor splineWeighting(poplar::Graph& graph, const poplar::Tensor& input, const poplar::Tensor& weight,
                               const poplar::Tensor& basis, const poplar::Tensor& weightIndex, poplar::program::Sequence& prog,
                               const poplar::DebugContext& debugContext = {});

} // namespace popops

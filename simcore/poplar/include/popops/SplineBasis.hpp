// Evaluates B-splines at points.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

namespace popops {

// `pseudo` [E, D], points from 0 to 1; `kernelSize` and `isOpenSpline` [D] -> `basis` and `weightIndex` [E, (degree + 1)^D]: the
// products of the basis functions and the numbers of their weights. Degree 1 to 3; throws poputil::poplibs_error for others, and
// for other shapes.
void splineBasis(poplar::Graph& graph, const poplar::Tensor& pseudo, const poplar::Tensor& kernelSize,
                 const poplar::Tensor& isOpenSpline, const poplar::Tensor& basis, const poplar::Tensor& weightIndex,
                 unsigned degree, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

} // namespace popops

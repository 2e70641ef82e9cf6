// Subtracts 1 from one element of each row: the gradient of a loss with class numbers.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

namespace popops {

// Updates params [N, C] in place at indices [N].
void updateScalarInRows(poplar::Graph& graph, const poplar::Tensor& params, const poplar::Tensor& indices,
                        poplar::program::Sequence& program, const poplar::DebugContext& debugContext = {});

} // namespace popops

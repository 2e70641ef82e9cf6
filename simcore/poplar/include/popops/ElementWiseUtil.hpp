// Outputs for element-wise functions.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <vector>

namespace popops {

// A variable of the shape to which the inputs broadcast; it is mapped like the input of this shape with the most cells.
poplar::Tensor createOutputForElementWiseOp(poplar::Graph& graph, const std::vector<poplar::Tensor>& inputs,
                                            const poplar::Type& outputType, const poplar::DebugContext& debugContext = {});

} // namespace popops

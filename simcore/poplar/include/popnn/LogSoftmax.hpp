// The logarithm of a softmax over the last dimension.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

namespace popnn {

void logSoftmaxInPlace(poplar::Graph& graph, poplar::Tensor tensor, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});
poplar::Tensor logSoftmax(poplar::Graph& graph, poplar::Tensor tensor, poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {});

} // namespace popnn

// Tests whether a tensor has NaN, or NaN or infinite values.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

namespace popops {

// Returns one BOOL.
poplar::Tensor hasNaN(poplar::Graph& graph, const poplar::Tensor& tensor, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});
poplar::Tensor hasNaNOrInf(poplar::Graph& graph, const poplar::Tensor& tensor, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {});

} // namespace popops

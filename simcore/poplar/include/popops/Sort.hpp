// Sorting along a dimension, smallest first; equal keys keep their order.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

namespace popops {

poplar::Tensor sort(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned dim, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {});
void sortInPlace(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned dim, poplar::program::Sequence& prog,
                 const poplar::DebugContext& debugContext = {});
// Returns the values in the order of their keys; both tensors have the same shape.
poplar::Tensor sortKeyValue(poplar::Graph& graph, const poplar::Tensor& keys, const poplar::Tensor& values, unsigned dim,
                            poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
void sortKeyValueInPlace(poplar::Graph& graph, const poplar::Tensor& keys, const poplar::Tensor& values, unsigned dim,
                         poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

} // namespace popops

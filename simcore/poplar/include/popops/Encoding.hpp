// One-hot encoding of class numbers, and consecutive whole numbers.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "popops/EncodingConstants.hpp"

namespace popops {

// `encoded` [N, classes] of `indices` [N] (INT or UNSIGNED_INT). A class out of range gives zeros.
void encodeOneHot(poplar::Graph& graph, const poplar::Tensor& indices, const poplar::Tensor& encoded,
                  poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
// Encodes with `on` and `off`, one element each, instead of 1 and 0.
void encodeOneHot(poplar::Graph& graph, const poplar::Tensor& indices, const poplar::Tensor& encoded,
                  poplar::program::Sequence& prog, const poplar::Tensor& on, const poplar::Tensor& off,
                  const poplar::DebugContext& debugContext = {});
// Fills the tensor with startInteger, startInteger + 1, …
void iota(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned startInteger, poplar::program::Sequence& prog,
          const poplar::DebugContext& debugContext = {});
void iota(poplar::Graph& graph, const poplar::Tensor& tensor, int startInteger, poplar::program::Sequence& prog,
          const poplar::DebugContext& debugContext = {});

} // namespace popops

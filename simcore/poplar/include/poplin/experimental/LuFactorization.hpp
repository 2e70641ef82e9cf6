// A matrix as the product of a lower and an upper triangle.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <utility>

namespace poplin {
namespace experimental {

// input [M, N] of a floating type -> L [M, M] with ones on the diagonal and U [M, N], both FLOAT, with L U = input. Rows are not
// swapped (no pivoting): if a leading minor is 0, elements become infinite or NaN. Throws poplibs_error for a tensor that is not
// a matrix.
std::pair<poplar::Tensor, poplar::Tensor> LUFactorization(poplar::Graph& graph, poplar::Tensor& input,
                                                          poplar::program::Sequence& seq,
                                                          const poplar::DebugContext& debugContext = {});

} // namespace experimental
} // namespace poplin

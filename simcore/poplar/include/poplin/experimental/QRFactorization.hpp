// A matrix as the product of an orthogonal one and an upper triangle.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <array>
#include <cstddef>

namespace poplin {
namespace experimental {

// Matrices A [m, n] and Q [m, m], mapped to tiles, for QRFactorization(). Throws poplibs_error for m < n.
std::array<poplar::Tensor, 2> createQRFactorizationMatrices(poplar::Graph& graph, const poplar::Type& type, const std::size_t m,
                                                            const std::size_t n, const poplar::DebugContext& debugContext);

// A [m, n] with m >= n becomes R (zeros below the diagonal), Q [m, m] times the orthogonal matrix: with the identity in Q, Q R is what A was. One
// reflection for each column, each with programs of its own; the option rowsPerIteration, which trades their number for time, changes nothing.
// Throws poplibs_error for shapes or types that do not go together.
void QRFactorization(poplar::Graph& graph, poplar::Tensor& A, poplar::Tensor& Q, poplar::program::Sequence& prog,
                     const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

} // namespace experimental
} // namespace poplin

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

// A [m, n] with m >= n becomes R (zeros below the diagonal). Q [m, m] is multiplied by the orthogonal matrix: if Q was the
// identity, then Q R is the old A. Each column takes one reflection with programs of its own. The option rowsPerIteration, which
// trades programs for time, has no effect. Throws poplibs_error for shapes or types that do not match.
void QRFactorization(poplar::Graph& graph, poplar::Tensor& A, poplar::Tensor& Q, poplar::program::Sequence& prog,
                     const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

} // namespace experimental
} // namespace poplin

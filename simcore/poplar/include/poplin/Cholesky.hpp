// Cholesky's factor of symmetric positive definite matrices.
#pragma once

#include "poplin/MatMul.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace poplin {

poplar::Tensor createCholeskyInput(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                   bool lower, const poplar::DebugContext& debugContext, const poplar::OptionFlags& options = {},
                                   PlanningCache* cache = nullptr);
// Factors a [.., n, n]: returns L with L L^T = a, or if `lower` is false U with U^T U = a. Elements outside the triangle are
// zero.
poplar::Tensor cholesky(poplar::Graph& graph, const poplar::Tensor& a, bool lower, poplar::program::Sequence& prog,
                        const poplar::DebugContext& debugContext = {}, poplar::OptionFlags options = {},
                        PlanningCache* cache = nullptr);
void choleskyInPlace(poplar::Graph& graph, const poplar::Tensor& a, bool lower, poplar::program::Sequence& prog,
                     const poplar::DebugContext& debugContext = {}, poplar::OptionFlags options = {},
                     PlanningCache* cache = nullptr);
// Returns nothing: the simulator plans each product when it is added.
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getCholeskyMatMulPrePlanParameters(const poplar::Type&, const std::vector<std::size_t>&, bool, poplar::OptionFlags) {
  return {};
}

} // namespace poplin

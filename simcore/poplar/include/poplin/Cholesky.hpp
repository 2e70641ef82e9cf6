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
// a [.., n, n] -> L with L L^T = a, or with `lower` off U with U^T U = a; zeros outside the triangle.
poplar::Tensor cholesky(poplar::Graph& graph, const poplar::Tensor& a, bool lower, poplar::program::Sequence& prog,
                        const poplar::DebugContext& debugContext = {}, poplar::OptionFlags options = {},
                        PlanningCache* cache = nullptr);
void choleskyInPlace(poplar::Graph& graph, const poplar::Tensor& a, bool lower, poplar::program::Sequence& prog,
                     const poplar::DebugContext& debugContext = {}, poplar::OptionFlags options = {},
                     PlanningCache* cache = nullptr);
// None: the simulator plans each product when it is added.
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getCholeskyMatMulPrePlanParameters(const poplar::Type&, const std::vector<std::size_t>&, bool, poplar::OptionFlags) {
  return {};
}

} // namespace poplin

// Systems of equations with a triangular matrix.
#pragma once

#include "poplin/MatMul.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace poplin {

// Create the operands [.., n, n] and [.., n, m], or [.., m, n] if the matrix is on the right.
poplar::Tensor createTriangularSolveInputLHS(poplar::Graph& graph, const poplar::Type& inputType, const poplar::Type& outputType,
                                             const std::vector<std::size_t>& aShape, const std::vector<std::size_t>& bShape,
                                             bool leftSide, const poplar::DebugContext& debugContext,
                                             const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor createTriangularSolveInputRHS(poplar::Graph& graph, const poplar::Type& inputType, const poplar::Type& outputType,
                                             const std::vector<std::size_t>& aShape, const std::vector<std::size_t>& bShape,
                                             bool leftSide, const poplar::DebugContext& debugContext,
                                             const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
// `a` with zeros outside its triangle and, if `unitDiagonal`, ones on the diagonal.
poplar::Tensor triangularMask(poplar::Graph& graph, const poplar::Tensor& a, bool lower, bool unitDiagonal,
                              poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
// Returns x with a x = b (leftSide) or x a = b. Elements of `a` outside its triangle are not read.
poplar::Tensor triangularSolve(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b, bool leftSide, bool lower,
                               bool unitDiagonal, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                               const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
// Returns nothing: the simulator plans each product when it is added.
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getTriangularSolveMatMulPrePlanParameters(const poplar::Type&, const poplar::Type&, const std::vector<std::size_t>&,
                                          const std::vector<std::size_t>&, bool, bool, const poplar::OptionFlags&) {
  return {};
}

} // namespace poplin

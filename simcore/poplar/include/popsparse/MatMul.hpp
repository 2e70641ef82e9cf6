// Products of a sparse and a dense matrix. Dynamic: the pattern is data with at most as many blocks as the parameters say.
// Static: the pattern is known when the graph is made. The options availableMemoryProportion, metaInfoBucketOversizeProportion,
// partialsType and sharedBuckets have no effect; a warning names each once. Tensors of other shapes throw poputil::poplibs_error.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "popsparse/MatMulParams.hpp"
#include "popsparse/PlanningCache.hpp"
#include "popsparse/SparseStorageFormats.hpp"
#include "popsparse/SparseTensor.hpp"

namespace popsparse {
namespace dynamic {

SparseTensor createSparseDenseMatMulLHS(poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
                                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                        PlanningCache* cache = nullptr);
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
                                          const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                          PlanningCache* cache = nullptr);
// [1, m, k] x [1, k, n], either operand transposed on request.
poplar::Tensor sparseDenseMatMul(poplar::Graph& graph, const SparseTensor& lhs, const poplar::Tensor& rhs,
                                 poplar::program::Sequence& prog, bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                 PlanningCache* cache = nullptr);

} // namespace dynamic
namespace static_ {

// T is float or double.
template<class T>
SparseTensor createSparseDenseMatMulLHS(poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
                                        const CSRMatrix<T>& csrLHS, const poplar::DebugContext& debugContext = {},
                                        const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
template<class T>
SparseTensor createDenseSparseMatMulRHS(poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
                                        const CSRMatrix<T>& csrRHS, const poplar::DebugContext& debugContext = {},
                                        const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
template<class T>
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
                                          const CSRMatrix<T>& csrLHS, const poplar::DebugContext& debugContext = {},
                                          const poplar::OptionFlags options = {}, PlanningCache* cache = nullptr);
template<class T>
poplar::Tensor createDenseSparseMatMulLHS(poplar::Graph& graph, const poplar::Type& inputType, const MatMulParams& params,
                                          const CSRMatrix<T>& csrRHS, const poplar::DebugContext& debugContext = {},
                                          const poplar::OptionFlags options = {}, PlanningCache* cache = nullptr);
poplar::Tensor sparseDenseMatMul(poplar::Graph& graph, const SparseTensor& lhs, const poplar::Tensor& rhs,
                                 poplar::program::Sequence& prog, bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                 PlanningCache* cache = nullptr);
// [1, n, k] x [1, k, m].
poplar::Tensor denseSparseMatMul(poplar::Graph& graph, const poplar::Tensor& lhs, const SparseTensor& rhs,
                                 poplar::program::Sequence& prog, bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                 PlanningCache* cache = nullptr);

} // namespace static_
} // namespace popsparse

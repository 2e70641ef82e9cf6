// Reductions in stages: what lies on a tile is reduced there, partial results travel, and a last stage makes the outputs;
// with many partials per output a stage of about their square root goes in between (programming-model 2.2).
#pragma once

#include "simcore/codelets/reduce.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Over `axes` of x; the result keeps them with extent 1 if `keepDims`. The kernel is needed if the builder carries numbers
// and the op is not Add, Maximum, Minimum or Multiply.
Tensor reduce(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes, codelets::ReduceOp op,
              bool keepDims, HostKernel kernel = {});

// Compositions of reductions and maps, as popnn makes them.
Tensor softmax(const OpBuilder& builder, const Tensor& x, std::size_t axis, bool logarithm, HostKernel kernel = {});
// Statistics over `groups` channel groups of [N, C, …], then whiten, scale and shift (gamma, beta: [C]).
Tensor groupNorm(const OpBuilder& builder, const Tensor& x, const Tensor& gamma, const Tensor& beta, int64_t groups,
                 float epsilon);
// Normalisation over the given axes with whatever scale the kernel applies; for layer and instance norms of models.
Tensor normalise(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes,
                 const std::vector<Tensor>& parameters, HostKernel kernel);

} // namespace simcore::ops

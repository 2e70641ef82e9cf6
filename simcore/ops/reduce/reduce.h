// Reductions in stages: each tile reduces its own elements, partial results are exchanged, and a last stage computes the outputs.
// With many partials per output, a middle stage combines about the square root of their number (programming-model 2.2).
#pragma once

#include "simcore/codelets/reduce.h"
#include "simcore/ops/op_builder.h"

#include <optional>

namespace simcore::ops {

// Mapping of new outputs that do not follow another tensor: like a variable without a planner, or spread, so that all six workers
// of each tile have outputs.
enum class OutputPlace { AsVariable, Spread };

// Reduces over `axes` of x; the result keeps them with extent 1 if `keepDims`. The kernel is required if the builder has numbers
// and the op is not Add, Maximum, Minimum or Multiply. `as` is the type of partials and results if it is not x's.
Tensor reduce(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes, codelets::ReduceOp op,
              bool keepDims, HostKernel kernel = {}, std::optional<ElementType> as = {});

// Scaling of the results: out = scale * sum, or out += scale * sum; the scale is one value on the machine.
struct ReduceParams {
  codelets::ReduceOp op = codelets::ReduceOp::Add;
  Tensor scale = {}; // if not valid, 1
  bool update = false;
};
// Writes the result into `out`, which has the shape of x without the axes and keeps its mapping and type.
void reduceWithOutput(const OpBuilder& builder, const Tensor& x, const Tensor& out, const std::vector<std::size_t>& axes,
                      const ReduceParams& params = {});
// Several reductions at once: stages with the same number share a compute set and an exchange. `outputs` is empty or has one per
// reduction. New outputs with equal element count and type have equal mappings, that of `near` if it fits, so that later maps
// need no exchange.
struct SingleReduce {
  Tensor in;
  std::vector<std::size_t> axes;
  ReduceParams params = {};
  std::optional<ElementType> as = {}; // the type of a new output
};
std::vector<Tensor> reduceMany(const OpBuilder& builder, const std::vector<SingleReduce>& reductions,
                               const std::vector<Tensor>& outputs = {}, const Tensor& near = {},
                               OutputPlace place = OutputPlace::AsVariable);
// One Bool: whether all elements of x (Bool) are true.
Tensor allTrue(const OpBuilder& builder, const Tensor& x);

// Compositions of reductions and maps, as in popnn.
Tensor softmax(const OpBuilder& builder, const Tensor& x, std::size_t axis, bool logarithm, HostKernel kernel = {});
// Normalises over `groups` channel groups of [N, C, …]: statistics, then whiten, scale and shift (gamma, beta: [C]).
Tensor groupNorm(const OpBuilder& builder, const Tensor& x, const Tensor& gamma, const Tensor& beta, int64_t groups,
                 float epsilon);
// (x - mean) / sqrt(variance + epsilon) over the axes, times the first parameter, plus the second; both broadcast to x.
// Statistics of half tensors are float.
Tensor normalise(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes,
                 const std::vector<Tensor>& parameters, double epsilon, HostKernel kernel);
// The parts of a norm: sums over the axes, then the statistics, then a map.
struct Whitened {
  Tensor out, sum, inverseDeviation;
};
Whitened whiten(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes,
                const std::vector<Tensor>& parameters, double epsilon);

} // namespace simcore::ops

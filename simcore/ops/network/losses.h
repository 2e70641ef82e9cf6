// Losses as calculated by popnn: the loss of each entry of a batch and the gradient that starts backpropagation.
#pragma once

#include "simcore/codelets/loss.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Turns classes [N] into [N, classes] with a one at each class and zeros elsewhere (popops encodeOneHot); a class out of range
// gives zeros only.
Tensor encodeOneHot(const OpBuilder& builder, const Tensor& labels, int64_t classes, ElementType type);

struct Loss {
  Tensor loss;    // [N]
  Tensor deltas;  // [N, C]
  Tensor correct; // one int32: number of entries whose largest output is at their label
};
// `outputs` [N, C] against labels [N]. SumSquared: half of the sum of (output - one-hot)^2; CrossEntropy: -log of the output at
// the label, where outputs are probabilities. For both, delta is output - one-hot; for CrossEntropy this is the gradient before
// the softmax. Throws Error(InvalidInput) for incompatible shapes.
Loss calcLoss(const OpBuilder& builder, codelets::LossKind kind, const Tensor& outputs, const Tensor& labels);

// Turns class numbers [.., n, ..] into ones and zeros along a new dimension `axis` of size `classes` (ONNX's OneHot: `values` has
// off and on, if given).
Tensor encodeOneHot(const OpBuilder& builder, const Tensor& labels, std::size_t axis, int64_t classes, ElementType type,
                    const Tensor& values = {});

// Loss of targets [N, ..] for logarithms of probabilities [N, C, ..]: optional weights per class, an optional ignored class, and
// the reduction: a loss per target, their sum, or the sum divided by the weights of all targets.
struct TargetLoss {
  Tensor weights = {}; // [C]; if not valid, all weights are 1
  numerics::LossReduction reduction = numerics::LossReduction::Mean;
  std::optional<int64_t> ignored = {};
};
Tensor negativeLogLikelihood(const OpBuilder& builder, const Tensor& logs, const Tensor& targets, const TargetLoss& loss);
// The gradient of logarithms of this shape from that of the loss: a scaled one-hot of the targets; popnn computes it together
// with the loss. Means divide by the weights of all targets (one per row), which every tile sums itself.
Tensor negativeLogLikelihoodGradient(const OpBuilder& builder, const Tensor& gradient, const Tensor& targets,
                                     const TargetLoss& loss, ElementType type, const Shape& logs);

} // namespace simcore::ops

// Losses as popnn calculates them: the loss of each entry of a batch and the gradient it starts backpropagation with.
#pragma once

#include "simcore/codelets/loss.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// [N] classes to [N, classes] of ones and zeros (popops encodeOneHot); a class that is not there gives zeros.
Tensor encodeOneHot(const OpBuilder& builder, const Tensor& labels, int64_t classes, ElementType type);

struct Loss {
  Tensor loss;    // [N]
  Tensor deltas;  // [N, C]
  Tensor correct; // one int32: entries whose largest output is that of their label
};
// `outputs` [N, C] against labels [N]. SumSquared: half of the sum of (output - one-hot)^2; CrossEntropy: -log of the output at the
// label, where outputs are probabilities. Either's delta is output - one-hot, for CrossEntropy that of the softmax before.
// Throws Error(InvalidInput) if shapes do not go together.
Loss calcLoss(const OpBuilder& builder, codelets::LossKind kind, const Tensor& outputs, const Tensor& labels);

} // namespace simcore::ops

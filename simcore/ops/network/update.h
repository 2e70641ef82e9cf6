// Updates of a parameter w and its state by a gradient g, in place; for the formulas see numerics/optimiser.h. Rates and
// factors are immediates of the codelets. Most of these functions attach no numbers, because the caller has one kernel for the
// whole update.
#pragma once

#include "simcore/numerics/optimiser.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// With momentum if `velocity` is valid.
void updateBySgd(const OpBuilder& builder, const Tensor& w, const Tensor& g, const Tensor& velocity, bool decays,
                 bool isNesterov);
// With `byLargest` this is AdaMax, whose second state is the running maximum of the gradient's magnitude.
void updateByAdam(const OpBuilder& builder, const Tensor& w, const Tensor& g, const Tensor& first, const Tensor& second,
                  const Tensor& step, bool byLargest = false);
// RMSprop: centred if `mean` is valid, with momentum if `velocity` is valid.
void updateBySquares(const OpBuilder& builder, const Tensor& w, const Tensor& g, const Tensor& squares, const Tensor& mean = {},
                     const Tensor& velocity = {});

// Lamb and Lars need two norms of the whole parameter between their maps, so each part has a separate kernel for numbers.
struct UpdateByNorms {
  OpBuilder builder;
  numerics::UpdateRule rule;
  int64_t shards = 1; // replicas that share the parameter: their squared norms are summed
  Tensor rate;        // the learning rate; if not valid, an immediate
};
void updateByLamb(const UpdateByNorms& how, const Tensor& w, const Tensor& g, const Tensor& first, const Tensor& second,
                  const Tensor& step);
void updateByLars(const UpdateByNorms& how, const Tensor& w, const Tensor& g, const Tensor& velocity);

} // namespace simcore::ops

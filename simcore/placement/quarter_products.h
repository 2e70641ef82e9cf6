// PopRT's fp8 conversion of a model in fp16: convolutions, matrix products and Gemms with constant
// weights read 8-bit floats and return halves. Weights are stored as F143 with a power of two as their
// scale, from their largest value; activations are cast to F143 before the product, with one power of
// two for the whole model (PopRT's --fp8_params F143,F143,SCALE,SCALE). These stay in fp16: the last
// product (PopRT's ResNet-50 example and ByteMLPerf keep it, for accuracy), products that sum fewer
// terms than the matrix unit takes at a time, because they would not be faster (the same examples keep
// the first convolution, of 3 channels), products of two activations, and all products in subgraphs.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/model/training/training.h"

#include <set>
#include <string>

namespace simcore::model {

struct QuarterProducts {
  int activationScale = -3;      // activations are in units of two to this power
  std::set<std::string> skipped; // names of nodes that stay in fp16
  // For training: weights keep their type and are cast in every step, and the gradients of a product read F152.
  bool trains = false;
  // In training, if it is not 0: each scale is a power of two for the largest value of the last `history` updates.
  std::int64_t history = 0;
  bool unitScaled = false; // all values have unit variance (placement/unit_scaling.h), so all scales are 0
};

// Call it after resolveTypes() and fuse(). Throws Error(Unsupported) if the machine has no 8-bit floats, listing machines that
// have them, and NotFound for a name in `skipped` that is not a product.
Model withQuarterProducts(Model model, const QuarterProducts& options, const arch::Machine& machine);

// Call it on the result of makeTraining() for such a model with a history: the histories become variables that an update changes, and the scales
// outputs (graph::kScalesOutput). Weights start with the scale of their initial values, other tensors with the fixed scale. Call it before
// addRecomputation(), on a model for one IPU. Throws Error(InvalidInput) if no product reads 8-bit floats.
void addHistories(TrainingModel& training, const QuarterProducts& options);

} // namespace simcore::model

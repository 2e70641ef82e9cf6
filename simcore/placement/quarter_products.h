// PopRT's fp8 conversion of a model in fp16: convolutions, matrix products and Gemms with constant weights read 8-bit floats and
// return halves. Weights are stored as F143, with a power of two from their largest value as their scale. Activations are cast to
// F143 before the product, with one power of two for the whole model (PopRT's --fp8_params F143,F143,SCALE,SCALE).
// These products stay in fp16: the last one (PopRT's ResNet-50 example and ByteMLPerf keep it, for accuracy), those that sum
// fewer terms than the matrix unit takes at a time, because they would not be faster (the same examples keep the first
// convolution, of 3 channels), products of two activations, and all products in subgraphs.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/model/training/training.h"

#include <set>
#include <string>

namespace simcore::model {

struct QuarterProducts {
  int activationScale = -3;      // activations are divided by two to this power
  std::set<std::string> skipped; // names of nodes that stay in fp16
  // For training: weights keep their type and are cast in every step, and the backward products read the gradients as F152.
  bool trains = false;
  // If not 0, each scale in training is a power of two for the largest value of the last `history` updates.
  std::int64_t history = 0;
  bool unitScaled = false; // all values have unit variance (placement/unit_scaling.h), so all scales are 0
};

// Call this after resolveTypes() and fuse(). Throws Error(Unsupported), with the machines that have 8-bit floats, if this machine
// has none, and NotFound for a name in `skipped` that is not a product.
Model withQuarterProducts(Model model, const QuarterProducts& options, const arch::Machine& machine);

// Call this on the result of makeTraining() for a model of withQuarterProducts() with a history, before addRecomputation(). The
// model must be for one IPU. Histories become variables that an update changes, and the scales become outputs
// (graph::kScalesOutput). Weights start with the scale of their initial values, other tensors with the fixed scale. Throws
// Error(InvalidInput) if no product reads 8-bit floats.
void addHistories(TrainingModel& training, const QuarterProducts& options);

} // namespace simcore::model

// PopRT's fp8 conversion of a model in fp16: convolutions, matrix products and Gemms with constant
// weights read 8-bit floats and return halves. Weights are stored as F143 with a power of two as their
// scale, from their largest value; activations are cast to F143 before the product, with one power of
// two for the whole model (PopRT's --fp8_params F143,F143,SCALE,SCALE). These stay in fp16: the last
// product (PopRT's ResNet-50 example and ByteMLPerf keep it, for accuracy), products that sum fewer
// terms than the matrix unit takes at a time, because they would not be faster (the same examples keep
// the first convolution, of 3 channels), products of two activations, and all products in subgraphs.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/model/graph/graph.h"

#include <set>
#include <string>

namespace simcore::model {

// Attributes of a convolution or product whose operands 0 and 1 are 8-bit floats: the exponent of the power of two that scales its result,
// the type of the result, and the weights' part of that exponent.
inline constexpr const char *kProductScale = "product_scale", *kProductType = "product_type", *kWeightScale = "weight_scale";

struct QuarterProducts {
  int activationScale = -3;      // activations are in units of two to this power
  std::set<std::string> skipped; // names of nodes that stay in fp16
  // For training: weights keep their type and are cast in every step, and the gradients of a product read F152.
  bool trains = false;
  bool unitScaled = false; // all values have unit variance (placement/unit_scaling.h), so all scales are 0
};

// Call it after resolveTypes() and fuse(). Throws Error(Unsupported) if the machine has no 8-bit floats, listing machines that
// have them, and NotFound for a name in `skipped` that is not a product.
Model withQuarterProducts(Model model, const QuarterProducts& options, const arch::Machine& machine);

} // namespace simcore::model

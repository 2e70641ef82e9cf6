// Unit scaling (Blake et al. 2023, arXiv 2303.11257): at the start of training every weight, activation and gradient of a dense network has
// unit variance, without a loss scale, because each product has factors of its own for its result and its two gradients. Weights are brought
// to unit variance and the product of `fan in` terms is multiplied by 1 / sqrt(fan in); the gradient of its input by 1 / sqrt(fan out), that
// of its weights by 1 / sqrt(rows). An activation function between two products is made up for by the factors of the second one. The optimiser
// sees gradients of unit variance: a learning rate is a relative step.
//
// It is right for networks in which every value goes on to one node, products of matrices with constant weights and the activations
// below between them, a cross-entropy of classes at the end. A residual connection would need the same factor forwards and backwards.
#pragma once

#include "simcore/model/graph/graph.h"

namespace simcore::model {

// The attributes of a Gemm that autodiff reads instead of alpha and beta for the gradients of its inputs.
inline constexpr const char *kUnitInput = "unit_input", *kUnitWeights = "unit_weights", *kUnitBias = "unit_bias";

struct UnitScaled {
  Model model;
  double lossFactor = 1; // by which the loss's gradient begins
};
// Needs resolveTypes() and a loss. Throws Error(Unsupported) naming the node for a network it would not be right for.
UnitScaled withUnitScaling(Model model, const std::string& loss);

} // namespace simcore::model

// The activation functions.
#pragma once

namespace popnn {

enum class NonLinearityType {
  SIGMOID,
  HARD_SIGMOID, // max(0, min(1, 0.2 x + 0.5))
  RELU,
  TANH,
  GELU,     // with tanh
  GELU_ERF, // with the error function
  SWISH,
  SOFTMAX,
  SOFTMAX_STABLE, // subtracts the largest element first; the simulator always does
  SOFTMAX_SCALED  // SOFTMAX_STABLE times nonLinearityScaling
};

} // namespace popnn

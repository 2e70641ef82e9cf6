// Recurrent layers as in popnn: one product for the inputs of all steps, then a Repeat whose body slices its step, multiplies the
// state, computes the gates and writes the step's output. One direction at a time.
#pragma once

#include "simcore/numerics/recurrent.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Tensors of one direction, gates in ONNX's order (g = 1, 3 or 4 of them). Missing optional ones are invalid.
struct RecurrentLayer {
  numerics::RecurrentParameters parameters;
  std::vector<numerics::RecurrentActivation> activations; // for this direction; empty: the standard functions
  bool reverse = false;
  Tensor x;                   // [T, B, I]
  Tensor weights, recurrence; // [g H, I], [g H, H]
  Tensor bias;                // [2 g H]: biases of the inputs, then of the state
  Tensor peepholes;           // [3 H]
  Tensor hidden, cell;        // [B, H], at the start
  Tensor lengths;             // [B]: steps of each batch entry
};
struct RecurrentOutputs {
  Tensor steps;        // [T, B, H]
  Tensor hidden, cell; // [B, H], at the end
};
RecurrentOutputs recurrent(const OpBuilder& builder, const RecurrentLayer& layer);

} // namespace simcore::ops

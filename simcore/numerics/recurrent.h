// LSTM, GRU and the plain recurrent cell over a sequence, as the ONNX operators define them: any direction, sequence lengths per
// batch entry, initial states, peepholes, other activations and clipping.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <functional>
#include <string>

namespace simcore::numerics {

// An activation function by name. Throws reports::Error(Unsupported) for an unknown name.
struct RecurrentActivation;
std::function<float(float)> recurrentFunction(const RecurrentActivation& activation);

enum class RecurrentKind { Rnn, Gru, Lstm };
enum class RecurrentDirection { Forward, Reverse, Bidirectional };

struct RecurrentActivation {
  std::string name; // "Sigmoid", "Tanh", "Relu", "Affine" …, as ONNX writes them (case does not matter)
  double alpha = 0, beta = 0;
};

struct RecurrentParameters {
  RecurrentKind kind = RecurrentKind::Lstm;
  RecurrentDirection direction = RecurrentDirection::Forward;
  std::int64_t hiddenSize = 0;
  std::vector<RecurrentActivation> activations; // empty: the standard ones
  double clip = 0;                              // 0: none
  bool inputForget = false;                     // LSTM: couples the two gates
  bool linearBeforeReset = false;               // GRU
};

// Shapes: x [T, B, I]; weights [D, g H, I]; recurrence [D, g H, H]; bias [D, 2 g H]; lengths [B]; states [D, B, H];
// peepholes [D, 3 H], with g = 1, 3, 4 gates and D directions. Optional ones may be null.
struct RecurrentInputs {
  const HostTensor *x = nullptr, *weights = nullptr, *recurrence = nullptr, *bias = nullptr, *lengths = nullptr,
                   *hidden = nullptr, *cell = nullptr, *peepholes = nullptr;
};
struct RecurrentResult {
  HostTensor outputs;      // [T, D, B, H]
  HostTensor hidden, cell; // [D, B, H]; cell for LSTM only
};
// Float only (Half is widened by the caller). Throws reports::Error for shapes that do not fit and unknown activations.
RecurrentResult recurrent(const RecurrentInputs& inputs, const RecurrentParameters& parameters);

} // namespace simcore::numerics

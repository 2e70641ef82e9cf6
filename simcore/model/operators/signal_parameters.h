// What the signal operators of opset 17 ask for, read once for types, numbers and lowering.
#pragma once

#include "simcore/model/operator.h"

namespace simcore::model {

// Cosine sums: a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), after ONNX.
struct WindowParameters {
  double a0 = 1, a1 = 0, a2 = 0;
  numerics::ElementType type = numerics::ElementType::Float;
  bool periodic = true;
  // N for a window of so many values.
  double period(std::int64_t size) const { return double(periodic || size == 1 ? size : size - 1); }
};
WindowParameters windowParameters(const Call& call);

struct DftParameters {
  std::size_t axis = 1;
  std::int64_t length = 0, outputs = 0;
  bool inverse = false;
};
DftParameters dftParameters(const Call& call);

// Frames of a signal [batch, samples(, 1)], each times the window and transformed: [batch, frames, frequencies, 2].
struct StftParameters {
  std::int64_t step = 0, length = 0, frames = 0, outputs = 0;
};
StftParameters stftParameters(const Call& call);

} // namespace simcore::model

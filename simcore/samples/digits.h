// Hand-drawn digits without a data set: strokes of ten glyphs on a 28 x 28 grid with random shift, thickness and noise, so that a
// network can learn to classify them.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <cstdint>

namespace simcore::samples {

struct DigitBatch {
  numerics::HostTensor images; // float [n, 1, 28, 28], 0 to 1
  numerics::HostTensor labels; // int32 [n]
};

// The same seed gives the same digits. They are drawn when the first element is read, so a run without numbers draws none.
DigitBatch drawDigits(int64_t n, uint64_t seed);

} // namespace simcore::samples

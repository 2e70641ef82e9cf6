// Kernels of signals: windows, Fourier transforms along a dimension and of frames, the weights of mel bands.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

// A sum of cosines, a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), as in ONNX.
struct CosineWindow {
  double a0 = 1, a1 = 0, a2 = 0;
  bool periodic = true;
  // The period N for a window of `size` values.
  double period(std::int64_t size) const { return double(periodic || size == 1 ? size : size - 1); }
};
// Returns the window's values, Double [size].
HostTensor cosineWindow(const CosineWindow& window, std::int64_t size);

// Transforms x [.., samples, .., parts] along `axis`: real (one part) or complex numbers, cut or padded to `length`, become
// `outputs` complex numbers.
HostTensor fourierAlong(const HostTensor& x, std::size_t axis, std::int64_t length, std::int64_t outputs, bool inverse);

// Takes frames of `length` samples, one every `step`, from x [batch, samples(, 1)], multiplies each by the window (may be null)
// and transforms it: [batch, frames, outputs, 2].
struct Frames {
  std::int64_t step = 0, length = 0, frames = 0, outputs = 0;
};
HostTensor shortTimeFourier(const HostTensor& x, const HostTensor* window, const Frames& frames);

// Weights of mel bands, Float [frequencies, bands]: each column is a triangle on the mel scale, all of equal height, between two
// frequencies. Frequencies as in HTK: 2595 log10(1 + f / 700) mel. Throws reports::Error(InvalidInput) for an edge that is not a
// frequency of the transform.
HostTensor melWeights(std::int64_t bands, std::int64_t length, std::int64_t sampleRate, double lowest, double highest);

} // namespace simcore::numerics

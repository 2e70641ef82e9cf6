// Kernels of signals: windows, Fourier transforms along a dimension and of frames, the weights of mel bands.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

// A sum of cosines, a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), as in ONNX.
struct CosineWindow {
  double a0 = 1, a1 = 0, a2 = 0;
  bool periodic = true;
  // N for a window of `size` values.
  double period(std::int64_t size) const { return double(periodic || size == 1 ? size : size - 1); }
};
// Double.
HostTensor cosineWindow(const CosineWindow& window, std::int64_t size);

// x [.., samples, .., parts]: real (one part) or complex numbers along `axis`, cut or padded to `length`, become `outputs` complex ones.
HostTensor fourierAlong(const HostTensor& x, std::size_t axis, std::int64_t length, std::int64_t outputs, bool inverse);

// Frames of `length` samples, one every `step`, of x [batch, samples(, 1)], each times the window (may be null) and transformed:
// [batch, frames, outputs, 2].
struct Frames {
  std::int64_t step = 0, length = 0, frames = 0, outputs = 0;
};
HostTensor shortTimeFourier(const HostTensor& x, const HostTensor* window, const Frames& frames);

// Triangles of equal height on the mel scale between two frequencies, one per column: Float [frequencies, bands]. Frequencies as in HTK: 2595
// log10(1 + f / 700) mel. Throws reports::Error(InvalidInput) for an edge that is not a frequency of the transform.
HostTensor melWeights(std::int64_t bands, std::int64_t length, std::int64_t sampleRate, double lowest, double highest);

} // namespace simcore::numerics

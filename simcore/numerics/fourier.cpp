#include "simcore/numerics/fourier.h"

#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <bit>
#include <cmath>

namespace simcore::numerics {

namespace {

using Complex = std::complex<double>;

// A transform as a convolution with a chirp (Bluestein): k n = (k^2 + n^2 - (k - n)^2) / 2. A transform by factors would be
// O(n^2) for a prime length.
std::vector<Complex> longFourier(std::span<const Complex> x, std::size_t length, std::size_t outputs, bool inverse) {
  const auto chirp = [&](std::size_t i) { // the square is taken modulo twice the length, so the angle is exact
    return std::polar(1.0, (inverse ? M_PI : -M_PI) * double(i * i % (2 * length)) / double(length));
  };
  const std::size_t samples = std::min(x.size(), length), size = std::bit_ceil(samples + outputs - 1);
  std::vector<Complex> signal(size), wave(size), spectrum, waveSpectrum, result(outputs);
  for (std::size_t n = 0; n < samples; ++n) signal[n] = x[n] * chirp(n);
  for (std::size_t k = 0; k < outputs; ++k) wave[k] = std::conj(chirp(k));
  for (std::size_t n = 1; n < samples; ++n) wave[size - n] = std::conj(chirp(n));
  Eigen::FFT<double> powerOfTwo;
  powerOfTwo.fwd(spectrum, signal);
  powerOfTwo.fwd(waveSpectrum, wave);
  for (std::size_t i = 0; i < size; ++i) spectrum[i] *= waveSpectrum[i];
  powerOfTwo.inv(signal, spectrum);
  for (std::size_t k = 0; k < outputs; ++k) result[k] = signal[k] * chirp(k) / (inverse ? double(length) : 1.0);
  return result;
}

} // namespace

std::vector<Complex> fourier(std::span<const Complex> x, std::size_t length, std::size_t outputs, bool inverse) {
  constexpr std::size_t kLongestSum = 2048;
  if (length > kLongestSum && x.size() > 1 && outputs > 1) return longFourier(x, length, outputs, inverse);
  std::vector<Complex> roots(length), result(outputs);
  for (std::size_t i = 0; i < length; ++i) roots[i] = std::polar(1.0, (inverse ? 2 : -2) * M_PI * double(i) / double(length));
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t n = 0; n < std::min(x.size(), length); ++n) result[k] += x[n] * roots[k * n % length];
    if (inverse) result[k] /= double(length);
  }
  return result;
}

} // namespace simcore::numerics

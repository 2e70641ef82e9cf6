// The discrete Fourier transform of one row of numbers, of any length. Lengths up to a few thousand use plain sums, which are as
// exact as possible; longer ones, including primes, take O(n log n).
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace simcore::numerics {

// The first `outputs` (at most `length`) of the coefficients of x, cut or zero-padded to `length`. The inverse has the opposite
// sign and is divided by the length.
std::vector<std::complex<double>> fourier(std::span<const std::complex<double>> x, std::size_t length, std::size_t outputs,
                                          bool inverse);

} // namespace simcore::numerics

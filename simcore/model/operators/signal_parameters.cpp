#include "simcore/model/operators/signal_parameters.h"

#include "simcore/model/parameters.h"

#include <algorithm>

namespace simcore::model {

using numerics::ElementType;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

WindowParameters windowParameters(const Call& call) {
  WindowParameters w;
  const std::string& type = call.node().opType;
  if (type == "HannWindow") w = {0.5, 0.5, 0};
  if (type == "HammingWindow") w = {25.0 / 46, 21.0 / 46, 0};
  if (type == "BlackmanWindow") w = {0.42, 0.5, 0.08};
  const std::int64_t code = call.attributes().integer("output_datatype", 1);
  switch (code) {
  case 1: w.type = ElementType::Float; break;
  case 10: w.type = ElementType::Half; break;
  case 11: w.type = ElementType::Double; break;
  default: throw Error(ErrorCode::Unsupported, "a window of the type number " + std::to_string(code) + " is not supported");
  }
  w.periodic = call.attributes().integer("periodic", 1) != 0;
  return w;
}

namespace {
// A transform is a product by a matrix for each prime factor of its length: one of 8,192 x 8,192 complex numbers fills half of a
// machine's memory.
void requireFactors(std::int64_t length) {
  constexpr std::int64_t kMostPoints = std::int64_t(1) << 32, kLargestFactor = 8192;
  std::int64_t rest = length;
  for (std::int64_t factor = 2; length <= kMostPoints && factor <= kLargestFactor && rest > 1; ++factor)
    while (rest % factor == 0) rest /= factor;
  if (length > kMostPoints || rest > 1)
    throw Error(ErrorCode::Unsupported, "a Fourier transform of " + std::to_string(length) +
                                            " points is not supported: at most " + std::to_string(kMostPoints) +
                                            " with prime factors up to " + std::to_string(kLargestFactor));
}
} // namespace

DftParameters dftParameters(const Call& call) {
  const Shape& x = call.shape(0);
  if (x.size() < 2 || (x.back() != 1 && x.back() != 2))
    throw Error(ErrorCode::InvalidInput, "DFT needs real or complex numbers in the last dimension, not " + numerics::toString(x));
  DftParameters d;
  d.axis = call.opset() < 20 ? axisOf(call, 1, x.size())
                             : numerics::normaliseAxis(call.has(2) ? call.value(2).integerAt(0) : -2, x.size());
  d.inverse = call.attributes().integer("inverse", 0) != 0;
  d.length = call.has(1) ? call.value(1).integerAt(0) : x[d.axis];
  if (d.length < 1 || d.axis + 1 == x.size()) throw Error(ErrorCode::InvalidInput, "DFT of no signal");
  requireFactors(d.length);
  d.outputs = call.attributes().integer("onesided", 0) ? d.length / 2 + 1 : d.length;
  return d;
}

StftParameters stftParameters(const Call& call) {
  const Shape& x = call.shape(0);
  if (x.size() < 2 || (x.size() == 3 && x[2] != 1))
    throw Error(ErrorCode::Unsupported, "STFT of a complex signal is not supported");
  StftParameters s;
  if (call.has(2) && call.shape(2).size() != 1)
    throw Error(ErrorCode::InvalidInput, "the window of STFT is not a vector but " + numerics::toString(call.shape(2)));
  s.step = call.value(1).integerAt(0);
  s.length = call.has(3) ? call.value(3).integerAt(0) : call.has(2) ? call.shape(2).at(0) : x[1];
  if (s.step < 1 || s.length < 1 || s.length > x[1])
    throw Error(ErrorCode::InvalidInput, "the frames of STFT do not fit its signal");
  if (call.has(2) && numerics::elementCount(call.shape(2)) != s.length)
    throw Error(ErrorCode::InvalidInput, "the window of STFT is not as long as a frame");
  requireFactors(s.length);
  s.frames = (x[1] - s.length) / s.step + 1;
  s.outputs = call.attributes().integer("onesided", 1) ? s.length / 2 + 1 : s.length;
  return s;
}

} // namespace simcore::model

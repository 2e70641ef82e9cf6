#include "simcore/numerics/quantise.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/reduce.h"

#include <algorithm>
#include <cmath>

namespace simcore::numerics {

namespace {
// A parameter reshaped to broadcast along `axis` of x.
HostTensor alongAxis(const HostTensor& parameter, const HostTensor& x, std::size_t axis) {
  if (parameter.count() == 1) return parameter.reshaped({});
  if (axis >= x.rank())
    failKernel("the axis of a quantisation is " + std::to_string(axis) + ", but the tensor has " + std::to_string(x.rank()) +
               " dimensions");
  if (parameter.count() != x.dim(axis))
    failKernel("a scale or zero point has " + std::to_string(parameter.count()) + " elements for a dimension of " +
               std::to_string(x.dim(axis)));
  Shape shape(x.rank(), 1);
  shape[axis] = parameter.count();
  return parameter.reshaped(shape);
}
} // namespace

HostTensor quantise(const HostTensor& x, const HostTensor& scale, const HostTensor& zeroPoint, std::size_t axis) {
  if (zeroPoint.type() != ElementType::Int8 && zeroPoint.type() != ElementType::UInt8 && !isFloat8(zeroPoint.type()))
    unsupportedType("quantisation", zeroPoint.type());
  const HostTensor wide = x.cast(ElementType::Float);
  const HostTensor scaled = binary(BinaryKind::Div, wide, alongAxis(scale.cast(ElementType::Float), x, axis));
  if (isFloat8(zeroPoint.type())) {
    for (const double zero : zeroPoint.toDoubles())
      if (zero != 0) failKernel("the zero point of a quantisation to an 8-bit float must be 0, not " + std::to_string(zero));
    return scaled.cast(zeroPoint.type());
  }
  const HostTensor rounded = unary(UnaryKind::Round, scaled);
  // The cast saturates after the zero point was added.
  return binary(BinaryKind::Add, rounded, alongAxis(zeroPoint, x, axis).cast(ElementType::Float)).cast(zeroPoint.type());
}

HostTensor dequantise(const HostTensor& x, const HostTensor& scale, const HostTensor* zeroPoint, std::size_t axis) {
  if (isFloating(x.type())) // 8-bit floats, possibly held in a wider type
    return binary(BinaryKind::Mul, x.cast(ElementType::Float), alongAxis(scale.cast(ElementType::Float), x, axis));
  HostTensor wide = x.cast(ElementType::Int32);
  if (zeroPoint) wide = binary(BinaryKind::Sub, wide, alongAxis(*zeroPoint, x, axis).cast(ElementType::Int32));
  return binary(BinaryKind::Mul, wide.cast(ElementType::Float), alongAxis(scale.cast(ElementType::Float), x, axis));
}

DynamicQuantisation quantiseDynamically(const HostTensor& x) {
  if (x.type() != ElementType::Float || x.count() == 0) unsupportedType("dynamic quantisation", x.type());
  const auto values = x.values<float>();
  const float low = std::min(0.0f, *std::min_element(values.begin(), values.end()));
  const float high = std::max(0.0f, *std::max_element(values.begin(), values.end()));
  const float scale = (high - low) / 255.0f;
  const float zero = scale > 0 ? std::clamp(std::nearbyint(-low / scale), 0.0f, 255.0f) : 0.0f;
  DynamicQuantisation result{{}, HostTensor::scalar(scale), HostTensor::scalar(std::uint8_t(zero))};
  result.values = scale > 0 ? quantise(x, result.scale, result.zeroPoint, 0) : HostTensor(ElementType::UInt8, x.shape());
  return result;
}

namespace {

HostTensor withoutZeroPoint(const HostTensor& x, const HostTensor* zeroPoint, std::size_t axis) {
  const HostTensor wide = x.cast(ElementType::Int32);
  return zeroPoint ? binary(BinaryKind::Sub, wide, alongAxis(zeroPoint->cast(ElementType::Int32), x, axis)) : wide;
}

// The largest number of products whose sum stays below 2^24, the limit of exact integers in float. Sums of integer products use
// the float kernels, which are far faster, with at most this number of products each.
std::int64_t exactProducts(const HostTensor& a, const HostTensor& b) {
  const auto largest = [](const HostTensor& t) {
    std::int64_t most = 1;
    for (const std::int32_t v : t.values<std::int32_t>()) most = std::max(most, std::abs(std::int64_t(v)));
    return most;
  };
  return (std::int64_t(1) << 24) / (largest(a) * largest(b));
}
// Each index of the summed dimension has `perIndex` products.
template<class Product>
HostTensor integerProduct(const HostTensor& a, std::size_t axisA, const HostTensor& b, std::size_t axisB, std::int64_t perIndex,
                          Product product) {
  const std::int64_t dim = a.dim(axisA), step = exactProducts(a, b) / perIndex;
  if (step == 0 || dim == 0) return product(a, b);
  HostTensor sum;
  for (std::int64_t at = 0; at < dim; at += step) {
    const std::int64_t count = std::min(step, dim - at);
    const HostTensor left = slice(a, axisA, at, count).cast(ElementType::Float);
    const HostTensor right = slice(b, axisB, at, count).cast(ElementType::Float);
    const HostTensor part = product(left, right).cast(ElementType::Int32);
    sum = at == 0 ? part : binary(BinaryKind::Add, sum, part);
  }
  return sum;
}

} // namespace

HostTensor integerMatmul(const HostTensor& a, const HostTensor* zeroA, const HostTensor& b, const HostTensor* zeroB) {
  const HostTensor left = withoutZeroPoint(a, zeroA, a.rank() < 2 ? 0 : a.rank() - 2),
                   right = withoutZeroPoint(b, zeroB, b.rank() == 0 ? 0 : b.rank() - 1);
  return integerProduct(left, a.rank() - 1, right, b.rank() < 2 ? 0 : b.rank() - 2, 1,
                        [](const HostTensor& x, const HostTensor& y) { return matmul(x, y); });
}

HostTensor integerConvolution(const HostTensor& given, const HostTensor* zeroX, const HostTensor& weights,
                              const HostTensor* zeroWeights, const Window& window, std::int64_t groups) {
  const HostTensor x = withoutZeroPoint(given, zeroX, 1), w = withoutZeroPoint(weights, zeroWeights, 0);
  const auto product = [&](const HostTensor& a, const HostTensor& b) { return convolution(a, b, nullptr, window, groups); };
  if (groups == 1) return integerProduct(x, 1, w, 1, elementCount(window.kernel), product);
  // Groups are not split; they usually sum over few channels.
  if (elementCount(w.shape(), 1, w.rank()) > exactProducts(x, w)) return product(x, w);
  return product(x.cast(ElementType::Float), w.cast(ElementType::Float)).cast(ElementType::Int32);
}

int quarterScale(const HostTensor& values, ElementType type) {
  double largest = 0;
  const HostTensor wide = values.cast(ElementType::Float);
  for (const float v : wide.values<float>())
    if (std::isfinite(v)) largest = std::max(largest, double(std::abs(v)));
  if (largest == 0) return 0;
  const float most = type == ElementType::Float8E5M2Fnuz ? F8E5M2Fnuz::largest() : F8E4M3Fnuz::largest();
  return int(std::ceil(std::log2(largest / double(most))));
}

} // namespace simcore::numerics

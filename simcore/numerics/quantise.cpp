#include "simcore/numerics/quantise.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/reduce.h"

#include <algorithm>
#include <cmath>

namespace simcore::numerics {

namespace {
// A parameter shaped so that it broadcasts along `axis` of x.
HostTensor alongAxis(const HostTensor& parameter, const HostTensor& x, std::size_t axis) {
  if (parameter.count() == 1) return parameter.reshaped({});
  if (axis >= x.rank() || parameter.count() != x.dim(axis))
    failKernel("a scale or zero point does not fit the tensor it quantises");
  Shape shape(x.rank(), 1);
  shape[axis] = parameter.count();
  return parameter.reshaped(shape);
}
} // namespace

HostTensor quantise(const HostTensor& x, const HostTensor& scale, const HostTensor& zeroPoint, std::size_t axis) {
  if (zeroPoint.type() != ElementType::Int8 && zeroPoint.type() != ElementType::UInt8)
    unsupportedType("quantisation", zeroPoint.type());
  const HostTensor wide = x.cast(ElementType::Float);
  const HostTensor scaled = binary(BinaryKind::Div, wide, alongAxis(scale.cast(ElementType::Float), x, axis));
  const HostTensor rounded = unary(UnaryKind::Round, scaled);
  // The cast saturates, after the zero point was added.
  return binary(BinaryKind::Add, rounded, alongAxis(zeroPoint, x, axis).cast(ElementType::Float)).cast(zeroPoint.type());
}

HostTensor dequantise(const HostTensor& x, const HostTensor& scale, const HostTensor* zeroPoint, std::size_t axis) {
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

} // namespace simcore::numerics

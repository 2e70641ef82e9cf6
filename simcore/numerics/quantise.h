// Linear quantisation: x ~ (q - zero point) * scale, rounding halves to even and saturating.
#pragma once

#include "simcore/numerics/host_tensor.h"
#include "simcore/numerics/window.h"

namespace simcore::numerics {

// Scale and zero point are scalars or have one value per index of `axis`. The result has the zero point's type: Int8, UInt8 or an
// 8-bit float, whose zero point is 0.
HostTensor quantise(const HostTensor& x, const HostTensor& scale, const HostTensor& zeroPoint, std::size_t axis);
// Float from integers or 8-bit floats; `zeroPoint` may be null for 0.
HostTensor dequantise(const HostTensor& x, const HostTensor& scale, const HostTensor* zeroPoint, std::size_t axis);

struct DynamicQuantisation {
  HostTensor values, scale, zeroPoint; // UInt8, Float, UInt8
};
// Maps the range of x, widened to contain 0, to 0..255.
DynamicQuantisation quantiseDynamically(const HostTensor& x);

// Products of 8-bit integers minus their zero points, as 32-bit integers. A zero point is null, a single value, or one value per
// row of a, column of b or channel of the weights.
HostTensor integerMatmul(const HostTensor& a, const HostTensor* zeroA, const HostTensor& b, const HostTensor* zeroB);
HostTensor integerConvolution(const HostTensor& x, const HostTensor* zeroX, const HostTensor& weights,
                              const HostTensor* zeroWeights, const Window& window, std::int64_t groups);

// The exponent of the power of two that scales the largest finite value to the top of this 8-bit float's range.
int quarterScale(const HostTensor& values, ElementType type = ElementType::Float8E4M3Fnuz);

} // namespace simcore::numerics

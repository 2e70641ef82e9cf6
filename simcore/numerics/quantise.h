// Linear quantisation: x ~ (q - zero point) * scale, rounding halves to even and saturating.
#pragma once

#include "simcore/numerics/host_tensor.h"
#include "simcore/numerics/window.h"

namespace simcore::numerics {

// Scale and zero point are scalars or one value per index of `axis`; the result has the zero point's type (Int8, UInt8 or an
// 8-bit float, which is rounded to itself and has a zero point of 0).
HostTensor quantise(const HostTensor& x, const HostTensor& scale, const HostTensor& zeroPoint, std::size_t axis);
// Float from integers or 8-bit floats; `zeroPoint` may be null for 0.
HostTensor dequantise(const HostTensor& x, const HostTensor& scale, const HostTensor* zeroPoint, std::size_t axis);

struct DynamicQuantisation {
  HostTensor values, scale, zeroPoint; // UInt8, Float, UInt8
};
// Range of x (widened to hold 0) mapped to 0..255.
DynamicQuantisation quantiseDynamically(const HostTensor& x);

// Products of 8-bit integers minus their zero points (null, single values, or one for each row of a, column of b, channel of the weights) as
// 32-bit integers.
HostTensor integerMatmul(const HostTensor& a, const HostTensor* zeroA, const HostTensor& b, const HostTensor* zeroB);
HostTensor integerConvolution(const HostTensor& x, const HostTensor* zeroX, const HostTensor& weights,
                              const HostTensor* zeroWeights, const Window& window, std::int64_t groups);

// The power of two in whose units the largest finite value just fits an 8-bit float of this type.
int quarterScale(const HostTensor& values, ElementType type = ElementType::Float8E4M3Fnuz);

} // namespace simcore::numerics

// Convolution of floats in a fixed order of summation, that of ONNX Runtime's blocked kernels. Partial sums run over 8 input
// channels and all taps (over 128 channels if the kernel has one tap), each from zero with fused multiply-adds. The result is
// their sum, plus an addend, plus the bias. In networks with strong cancellation the last bit of a sum can change an output by
// 1/1000, so stored results can be reproduced only in their own order. The order does not depend on the number of threads.
#pragma once

#include "simcore/numerics/host_tensor.h"
#include "simcore/numerics/window.h"

namespace simcore::numerics {

// Whether this order is possible for these operands: one or two spatial dimensions, no negative pads, groups of at least 8
// outputs, and a processor with fused multiply-add (x86-64-v3, aarch64). Other convolutions use oneDNN, in its order.
bool hasOrderedConvolution(const Shape& x, const Shape& weights, const Window& window, std::int64_t groups);

// Operands must fit (convolutionShape()), and hasOrderedConvolution() must be true. `bias` [M] may be null, and so may `addend`
// (the shape of the result), which is added to the first partial sum.
void orderedConvolution(const HostTensor& x, const HostTensor& weights, const HostTensor* bias, const HostTensor* addend,
                        const Window& window, std::int64_t groups, HostTensor& result);

} // namespace simcore::numerics

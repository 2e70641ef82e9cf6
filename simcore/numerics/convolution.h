// Convolutions over 1 to 3 spatial dimensions, including grouped and depthwise. Float accumulates in float; Half and BFloat16 are
// widened; double and integers use plain loops.
#pragma once

#include "simcore/numerics/host_tensor.h"
#include "simcore/numerics/window.h"

namespace simcore::numerics {

// x [N, C, spatial...], weights [M, C / groups, kernel...] -> [N, M, outputs...]. Throws reports::Error(InvalidInput) if
// they do not fit.
Shape convolutionShape(const Shape& x, const Shape& weights, const Window& window, std::int64_t groups);
// `bias` [M] may be null, and so may `addend`, which has the shape of the result. Floats are summed in the order of
// ordered_convolution.h if possible.
HostTensor convolution(const HostTensor& x, const HostTensor& weights, const HostTensor* bias, const Window& window,
                       std::int64_t groups, const HostTensor* addend = nullptr);

// x [N, C, spatial...], weights [C, M / groups, kernel...] -> [N, M, outputs...].
Shape transposedConvolutionShape(const Shape& x, const Shape& weights, const Window& window, std::int64_t groups,
                                 const std::vector<std::int64_t>& outputPadding);
HostTensor transposedConvolution(const HostTensor& x, const HostTensor& weights, const HostTensor* bias, const Window& window,
                                 std::int64_t groups, const std::vector<std::int64_t>& outputPadding);

// The gradients of an input and of weights with these shapes, from the gradient of a convolution's result.
HostTensor convolutionDataGradient(const HostTensor& gradient, const HostTensor& weights, const Window& window,
                                   std::int64_t groups, const Shape& x);
HostTensor convolutionWeightsGradient(const HostTensor& x, const HostTensor& gradient, const Window& window, std::int64_t groups,
                                      const Shape& weights);
// Converts weights of a convolution [G * M, C, kernel..] to those of its transpose, [G * C, M, kernel..], taps reversed.
HostTensor turnedKernel(const HostTensor& weights, std::int64_t groups);

} // namespace simcore::numerics

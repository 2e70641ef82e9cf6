// The relation of inputs, kernel elements and outputs of a convolution, by field dimension; ranges are half-open.
#pragma once

#include "poplin/Convolution.hpp"

#include <utility>

namespace poplin {

unsigned getDilatedSize(unsigned size, unsigned dilation);
// The input element that an output element and a kernel element multiply; ~0u if that is padding or a gap of the dilation.
unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex, const ConvParams& params);
// The kernel element that an input element is multiplied by for an output element; ~0u if there is none.
unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex, const ConvParams& params);
// The part of a range of outputs to which a kernel element, or any element of a range, contributes; likewise for input elements.
// Empty ranges are {0, 0}.
std::pair<unsigned, unsigned> getOutputRangeForKernelIndex(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                           unsigned kernelIndex, const ConvParams& params);
std::pair<unsigned, unsigned> getOutputRangeForKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                           std::pair<unsigned, unsigned> kernelIndexRange,
                                                           const ConvParams& params);
std::pair<unsigned, unsigned> getOutputRangeForInputIndex(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                          unsigned inputIndex, const ConvParams& params);
std::pair<unsigned, unsigned> getOutputRangeForInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                          std::pair<unsigned, unsigned> inputRange, const ConvParams& params);
// Inputs that a range of outputs needs.
std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                            std::pair<unsigned, unsigned> kernelIndexRange, const ConvParams& params);
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange, unsigned kernelIndex,
                                                   const ConvParams& params) {
  return getInputRange(dim, outputRange, {kernelIndex, kernelIndex + 1}, params);
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                   std::pair<unsigned, unsigned> kernelIndexRange, const ConvParams& params) {
  return getInputRange(dim, {outputIndex, outputIndex + 1}, kernelIndexRange, params);
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                                   const ConvParams& params) {
  return getInputRange(dim, outputRange, {0, unsigned(params.kernelShape[dim])}, params);
}
inline std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex, const ConvParams& params) {
  return getInputRange(dim, {outputIndex, outputIndex + 1}, params);
}
// Kernel elements that a range of outputs needs for a range of inputs.
std::pair<unsigned, unsigned> getKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                                             std::pair<unsigned, unsigned> inputRange, const ConvParams& params);
inline std::pair<unsigned, unsigned> getKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange, unsigned inputIndex,
                                                    const ConvParams& params) {
  return getKernelRange(dim, outputRange, {inputIndex, inputIndex + 1}, params);
}

// The parameters of the convolution that gives the gradient of the input: the deltas with the weights of
// weightsTransposeChansFlipXY. Throws poplibs_error for a flipped input or kernel.
ConvParams getGradientParams(const ConvParams& params);
// The parameters of the convolution that gives the gradient of the weights, [Cin, G Cout, kernel]: the input [Cin, G N, field]
// with the deltas [G, Cout, N, field].
ConvParams getWeightUpdateParams(const ConvParams& fwdParams);

} // namespace poplin

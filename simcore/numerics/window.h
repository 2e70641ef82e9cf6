// The sliding windows of convolution and pooling over N spatial dimensions: strides, dilations and explicit pads. Automatic
// padding is resolved here once, so that kernels and planners only get numbers.
#pragma once

#include "simcore/numerics/shape.h"

namespace simcore::numerics {

struct Window {
  std::vector<std::int64_t> kernel, strides, dilations, padsBefore, padsAfter;

  std::size_t dimensions() const { return kernel.size(); }
  // Input elements that one window spans in dimension i.
  std::int64_t span(std::size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

enum class AutoPad { NotSet, Valid, SameUpper, SameLower };

// A window of the given kernel; empty vectors mean strides 1, dilations 1, pads 0. `pads` = all befores, then all
// afters. Throws reports::Error(InvalidInput) for wrong counts, sizes or strides below 1, or sizes beyond 2^31.
Window makeWindow(const std::vector<std::int64_t>& kernel, const std::vector<std::int64_t>& strides,
                  const std::vector<std::int64_t>& dilations, const std::vector<std::int64_t>& pads);
// Sets the pads of `mode` for an input of these spatial sizes; NotSet does not change them.
void resolveAutoPad(Window& window, AutoPad mode, const Shape& inputSizes);

// Output sizes: floor((in + pads - span) / stride) + 1, or the ceiling. With the ceiling, a window that would start after the
// input and its front pad does not count. Throws reports::Error(InvalidInput) if no window fits.
Shape windowOutputSizes(const Window& window, const Shape& inputSizes, bool ceiling);

// Sizes of a transposed convolution: (in - 1) stride + outputPadding + span - pads.
Shape transposedOutputSizes(const Window& window, const Shape& inputSizes, const std::vector<std::int64_t>& outputPadding);

} // namespace simcore::numerics

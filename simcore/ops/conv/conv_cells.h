// Computes a convolution as cut by its plan: each cell convolves only its own input box and channels, and the results are added
// at the outputs given by the plan. Only a cut that covers everything exactly once gives the right numbers.
#pragma once

#include "simcore/ops/conv/conv_problem.h"

namespace simcore::ops {

// A cell of a planned convolution (of one serial slice): the ranges it computes, in channels of the form (joined, expanded).
struct ConvCell {
  using Span = reports::Range<int64_t>;
  Span batch, groups, rows, columns, outs, ins;
  std::array<Span, 2> kernel; // taps
};

// x [N, G*Cin, H, W] and weights [G*Cout, Cin, kh, kw] of the whole problem to [N, G*Cout, oh, ow].
HostKernel cellwiseConvolution(const ConvParams& whole, const ConvPlan& plan, const ConvForm& form, std::vector<ConvCell> cells);

} // namespace simcore::ops

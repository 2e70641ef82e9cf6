// Windows over the field of a tensor [N, C, field…], as convolutions and pools have them, and convolutions on the machine. The library
// plans images, so a one-dimensional field is an image of one row and a volume is planes with a window over their depth.
#pragma once

#include "simcore/model/operators/family.h"
#include "simcore/numerics/window.h"

namespace simcore::model {

// The sizes of the field. Throws Error(InvalidInput) below a rank of 3.
Shape spatialOf(const Shape& shape);
std::vector<std::size_t> spatialAxes(const Call& call);
// Of a global pool: every dimension of the field is 1.
Types inferGlobal(const Call& call);

numerics::AutoPad autoPad(const Call& call);
// Strides, dilations and pads of the node with this kernel, or with that of its attributes.
numerics::Window windowOf(const Attributes& attributes, const std::vector<std::int64_t>& kernel);
numerics::Window windowOf(const Attributes& attributes);
// Writes a window into attributes with everything explicit.
void setWindow(Attributes& attributes, const numerics::Window& window);

// [N, C, W] as [N, C, 1, W]; images stay as they are.
Tensor asImage(const Tensor& x);
Shape imageShape(const Shape& shape);
// A window over one dimension as one over an image; others stay as they are.
numerics::Window imageWindow(const numerics::Window& window);
// Three field dimensions or more.
bool isVolume(const NodeLowering& n);
// The window of the last field dimensions without the first, and that of the first.
numerics::Window planeWindow(const numerics::Window& window);
ops::DepthWindow depthWindow(const numerics::Window& window, std::int64_t in, std::int64_t out);

// A window over an image in the parameters of a plan (ops::ConvParams, ops::PoolParams).
template<class Params> void setWindow(Params& params, const numerics::Window& given) {
  const numerics::Window w = imageWindow(given);
  for (std::size_t d = 0; d < 2; ++d) {
    params.kernel[d] = w.kernel[d];
    params.stride[d] = w.strides[d];
    params.dilation[d] = w.dilations[d];
    params.padLow[d] = w.padsBefore[d];
    params.padHigh[d] = w.padsAfter[d];
  }
}

struct ConvolutionParameters {
  numerics::Window window;
  std::int64_t groups = 1;
  std::vector<std::int64_t> outputPadding; // of ConvTranspose
};
// Conv, ConvInteger, QLinearConv (`weights` = input index of the weights), with automatic pads resolved.
ConvolutionParameters convolutionParameters(const Call& call, std::size_t weights = 1);

// x [N, G*C, field..] with weights [G*M, C, kernel..] of one to three field dimensions, [N, G*M, outputs..] (images of one row where
// there is one). `b` is the part of the node it speaks for.
Tensor convolved(NodeLowering& n, const ops::OpBuilder& b, const Tensor& x, const Tensor& weights,
                 const ConvolutionParameters& parameters);
// The same backwards over three dimensions: x [N, G*M, outputs..] to [N, G*C, field..].
Tensor transposedVolume(NodeLowering& n, const Tensor& x, const Tensor& weights, const ConvolutionParameters& parameters,
                        const Shape& shape);

// Zeros around and between the elements of the last two of four dimensions: element i goes to first + i * stride.
struct ZeroInsertion {
  Shape shape;
  std::array<std::int64_t, 2> stride{1, 1}, first{0, 0};
};
// The tensor itself where every element keeps its place.
Tensor insertZeros(NodeLowering& n, const Tensor& x, const ZeroInsertion& zeros);

// Weights of a convolution [G * M, C, kernel..] as those of the one that goes back, [G * C, M, kernel..], taps reversed.
HostTensor turnedKernel(const HostTensor& weights, std::int64_t groups);

// The operator that fusion makes of a convolution and what follows it: ai.tilescope FusedConv(x, weights, bias?, addend?) with the
// attributes of Conv. `activation` names an operator applied last; its attributes travel as `activation.NAME`.
inline constexpr const char* kActivationOf = "activation";
// Whether the node is an activation that a FusedConv may hold.
bool isFusibleActivation(const Node& node);
// The activation of a FusedConv as a node of its own, without names.
Node activationOf(const Node& fused);

} // namespace simcore::model

// Windows over the field of a tensor [N, C, field…], for convolutions and pools.
#pragma once

#include "simcore/model/operators/family.h"
#include "simcore/numerics/window.h"

namespace simcore::model {

// The sizes of the field. Throws Error(InvalidInput) for a rank below 3.
Shape spatialOf(const Shape& shape);
std::vector<std::size_t> spatialAxes(const Call& call);
// Types of a global pool: every dimension of the field becomes 1.
Types inferGlobal(const Call& call);

numerics::AutoPad autoPad(const Call& call);
// The window with strides, dilations and pads of the node, and with this kernel or the one in the attributes.
numerics::Window windowOf(const Attributes& attributes, const std::vector<std::int64_t>& kernel);
numerics::Window windowOf(const Attributes& attributes);
// Writes a window into attributes with all values explicit.
void setWindow(Attributes& attributes, const numerics::Window& window);

struct ConvolutionParameters {
  numerics::Window window;
  std::int64_t groups = 1;
  std::vector<std::int64_t> outputPadding; // of ConvTranspose
};
// Parameters of a Conv, ConvInteger or QLinearConv, with automatic pads resolved. `weights` is the input index of the weights.
ConvolutionParameters convolutionParameters(const Call& call, std::size_t weights = 1);

// The convolution with the node's options; `b` is the builder for its part of the node.
Tensor convolved(NodeLowering& n, const ops::OpBuilder& b, const Tensor& x, const Tensor& weights,
                 const ConvolutionParameters& parameters);

// Fusion makes this operator from a convolution and the operators after it: ai.tilescope FusedConv(x, weights, bias?, addend?) with the
// attributes of Conv. `activation` names the operator applied last; its attributes are called `activation.NAME`.
inline constexpr const char* kActivationOf = "activation";
// The activation of a FusedConv as a separate node, without names.
Node activationOf(const Node& fused);

} // namespace simcore::model

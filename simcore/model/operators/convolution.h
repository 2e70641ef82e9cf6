// Convolutions on the machine, and the operator that fusion makes of one and what follows it: ai.tilescope
// FusedConv(x, weights, bias?, addend?) with the attributes of Conv. `activation` names an operator applied last; its attributes
// travel as `activation.NAME`.
#pragma once

#include "simcore/model/operators/field.h"

namespace simcore::model {

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

inline constexpr const char* kActivationOf = "activation"; // attribute of a FusedConv
// Whether the node is an activation that a FusedConv may hold.
bool isFusibleActivation(const Node& node);
// The activation of a FusedConv as a node of its own, without names.
Node activationOf(const Node& fused);

} // namespace simcore::model

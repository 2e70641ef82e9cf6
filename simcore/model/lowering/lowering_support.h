// What several lowerings share: kernels of parts of a node, operands in the form a plan wants, movements of zeros.
#pragma once

#include "simcore/model/lowering/convolution_geometry.h"
#include "simcore/model/lowering/node_lowering.h"

#include <array>

namespace simcore::model {

// x times a number, in x's type.
numerics::HostTensor scaled(const numerics::HostTensor& x, double factor);

// How the planner of the node's convolution or product is to plan.
ops::ConvOptions planOptions(const NodeLowering& n);

// `kernel` if the ops of the node are asked for numbers.
template<class F> ops::HostKernel partKernel(const NodeLowering& n, F f) {
  return n.byVertices() ? ops::oneResult(std::move(f)) : ops::HostKernel{};
}

// Zeros around and between the elements of the last two of four dimensions: element i goes to first + i * stride.
struct ZeroInsertion {
  numerics::Shape shape;
  std::array<std::int64_t, 2> stride{1, 1}, first{0, 0};
};
// The tensor itself where every element keeps its place.
graph::Tensor insertZeros(NodeLowering& n, const graph::Tensor& x, const ZeroInsertion& zeros);

// Weights of a convolution [G * M, C, kernel..] as those of the one that goes back, [G * C, M, kernel..], taps reversed.
numerics::HostTensor turnedKernel(const numerics::HostTensor& weights, std::int64_t groups);

// The window of the last two field dimensions of three, and that of the first.
numerics::Window planeWindow(const numerics::Window& window);
ops::DepthWindow depthWindow(const numerics::Window& window, std::int64_t in, std::int64_t out);

// x [N, G*C, field..] with weights [G*M, C, kernel..] of one to three field dimensions, [N, G*M, outputs..] (images of one row where
// there is one). `b` is the part of the node it speaks for.
graph::Tensor convolved(NodeLowering& n, const ops::OpBuilder& b, const graph::Tensor& x, const graph::Tensor& weights,
                        const ConvolutionParameters& parameters);
// The same backwards over three dimensions: x [N, G*M, outputs..] to [N, G*C, field..].
graph::Tensor transposedVolume(NodeLowering& n, const graph::Tensor& x, const graph::Tensor& weights,
                               const ConvolutionParameters& parameters, const numerics::Shape& shape);

// The tensor as it is, if it lies in few pieces, else moved once: every later reader would fetch it piece by piece.
graph::Tensor gathered(NodeLowering& n, const graph::Tensor& view);

} // namespace simcore::model

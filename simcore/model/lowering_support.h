// What several lowerings share: kernels of parts of a node, operands in the form a plan wants, movements of zeros.
#pragma once

#include "simcore/model/node_lowering.h"

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
graph::Tensor insertZeros(NodeLowering& n, const graph::Tensor& x, const ZeroInsertion& zeros);

// Weights of a convolution [G * M, C, kh, kw] as those of the one that goes back, [G * C, M, kh, kw], taps reversed.
numerics::HostTensor turnedKernel(const numerics::HostTensor& weights, std::int64_t groups);

// The tensor as it is, if it lies in few pieces, else moved once: every later reader would fetch it piece by piece.
graph::Tensor gathered(NodeLowering& n, const graph::Tensor& view);

} // namespace simcore::model

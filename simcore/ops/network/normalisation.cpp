#include "simcore/ops/network/normalisation.h"

#include "simcore/ops/collective/collectives.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/reduce/reduce.h"

#include <algorithm>
#include <cmath>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::ReduceOp;
using codelets::UnaryOp;
using numerics::HostTensor;

Tensor whitenGradient(const OpBuilder& b, const Tensor& d, const Tensor& out, const Tensor& inverse,
                      const std::vector<std::size_t>& axes, int64_t replicasTogether) {
  const ElementType type = d.elementType(), sums = type == ElementType::Half ? ElementType::Float : type;
  const Tensor product = binary(b, BinaryOp::Multiply, d, out);
  const Tensor sum = reduce(b, d, axes, ReduceOp::Add, true, {}, sums),
               correlation = reduce(b, product, axes, ReduceOp::Add, true, {}, sums);
  sumOverNeighbours(b, graph::concat({sum.flatten(), correlation.flatten()}), replicasTogether);
  const double count = double(replicasTogether) * double(d.numElements()) / double(sum.numElements());
  return map(b, "normGrad", mapSteps(type, {BinaryOp::Multiply, BinaryOp::Subtract, BinaryOp::Subtract, BinaryOp::Multiply}),
             {d, out, correlation, sum, inverse}, type, d.shape(),
             partKernel(b, eachElement([count](const auto& x) { return x(4) * (x(0) - x(3) / count - x(1) * x(2) / count); })));
}

Tensor localResponseNorm(const OpBuilder& b, const Tensor& x, const LocalResponse& p) {
  const int64_t channels = x.dim(1), inner = numerics::elementCount(x.shape(), 2, x.rank());
  const auto windowSum = [=](const std::vector<HostTensor>& in, int64_t at) {
    const int64_t c = at / inner % channels, first = std::max<int64_t>(0, c - (p.size - 1) / 2),
                  last = std::min(channels - 1, c + p.size / 2);
    double sum = 0;
    for (int64_t other = first; other <= last; ++other) {
      const double v = in[0].at(at + (other - c) * inner);
      sum += v * v;
    }
    return sum;
  };
  const Tensor sums = generate(b, "channelWindowSum", {x}, x.elementType(), x.shape(), 2 * std::clamp<int64_t>(p.size, 1, 32), {},
                               eachPosition(windowSum));
  return map(b, "lrn", mapSteps(x.elementType(), {BinaryOp::Multiply, BinaryOp::Add, BinaryOp::Power, BinaryOp::Multiply}),
             {x, sums}, x.elementType(), x.shape(),
             partKernel(b, eachElement([p](const auto& v) {
                          return v(0) / std::pow(p.bias + p.alpha / double(p.size) * v(1), p.beta);
                        })));
}

Tensor lpNorm(const OpBuilder& b, const Tensor& x, std::size_t axis, int p) {
  const Tensor terms = p == 2 ? x : unary(b, UnaryOp::Absolute, x);
  // Squares of halves may be too small or too large for a half; their root is not.
  Tensor norm = reduce(b, terms, {axis}, p == 2 ? ReduceOp::SquareAdd : ReduceOp::Add, true, {}, ElementType::Float);
  if (p == 2) norm = unary(b, UnaryOp::Sqrt, norm);
  if (norm.elementType() != x.elementType()) norm = cast(b, norm, x.elementType());
  return binary(b, BinaryOp::Divide, x, norm);
}

} // namespace simcore::ops

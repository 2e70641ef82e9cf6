// Norms that are more than a whitening (ops/reduce/reduce.h), and the gradient of that.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// inverse (d - mean(d) - out mean(d out)) over the axes, for the gradient d of what whiten() gave as `out` and `inverse`.
Tensor whitenGradient(const OpBuilder& builder, const Tensor& gradient, const Tensor& out, const Tensor& inverse,
                      const std::vector<std::size_t>& axes, int64_t replicasTogether = 1);

// x [N, C, ..] / (bias + alpha / size * sum of squares)^beta: a square, a sum over a window of `size` channels, a power and a product.
// Tiles get the channels their windows reach.
struct LocalResponse {
  int64_t size = 1;
  double alpha = 1e-4, beta = 0.75, bias = 1;
};
Tensor localResponseNorm(const OpBuilder& builder, const Tensor& x, const LocalResponse& parameters);

// x over its 1- or 2-norm along an axis.
Tensor lpNorm(const OpBuilder& builder, const Tensor& x, std::size_t axis, int p);

} // namespace simcore::ops

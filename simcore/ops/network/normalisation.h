// Norms that are more than a whitening (ops/reduce/reduce.h), and the gradient of whitening.
#pragma once

#include "simcore/ops/op_builder.h"
#include "simcore/ops/reduce/reduce.h"

namespace simcore::ops {

// inverse (d - mean(d) - out mean(d out)) over the axes, for the gradient d of the result `out` of whiten(), with its `inverse`.
Tensor whitenGradient(const OpBuilder& builder, const Tensor& gradient, const Tensor& out, const Tensor& inverse,
                      const std::vector<std::size_t>& axes);

// Batch norm of x [N, C, ..] in training. Its statistics (of `replicasTogether` neighbouring replicas, popnn's
// distributedBatchNormStatistics) are float [C] with equal mappings. `factor` = scale / deviation and `shift` = bias - mean x
// factor are sufficient to recompute the norm.
struct BatchStatistics {
  Tensor mean, inverseDeviation, factor, shift;
};
BatchStatistics batchStatistics(const OpBuilder& builder, const Tensor& x, const Tensor& scale, const Tensor& bias,
                                double epsilon, int64_t replicasTogether = 1);
// factor x + shift per channel, into x if `inPlace`.
Tensor scaleChannels(const OpBuilder& builder, const Tensor& x, const Tensor& factor, const Tensor& shift, bool inPlace);
// Gradients from the gradient of the result: factor (d - mean(d) - (x - mean) / deviation^2 mean(d (x - mean))), sum(d (x -
// mean)) / deviation and sum(d). Both sums come from one pass over x. With several replicas, the gradients of scale and bias are
// divided by their number. `overwritten` says whether the gradient of x overwrites `d` or `x`.
struct BatchNormGradients {
  Tensor x, scale, bias;
};
// If `overwritten` is not given, the gradient of x is not computed.
enum class Overwritten { Nothing, Gradient, Input };
BatchNormGradients batchNormGradient(const OpBuilder& builder, const Tensor& d, const Tensor& x,
                                     const BatchStatistics& statistics, ElementType parameters,
                                     std::optional<Overwritten> overwritten, int64_t replicasTogether = 1);

// Group norm of x [N, C, ..] in training, whose gradient reads the sums and inverse deviations [N, groups] of the forward pass.
Whitened trainedGroupNorm(const OpBuilder& builder, const Tensor& x, const Tensor& scale, const Tensor& bias, int64_t groups,
                          double epsilon);
// The gradients of the group norm, computed as in popnn (groupNormWhiten, groupNormParamGradients, groupNormGradients): x is
// whitened with the existing statistics, and both sums of a channel come from one pass. Those of scale and bias are invalid
// unless `withParameters`.
BatchNormGradients groupNormGradient(const OpBuilder& builder, const Tensor& d, const Tensor& x, const Tensor& scale,
                                     const Whitened& statistics, bool withInput, bool withParameters);

// x [N, C, ..] / (bias + alpha / size * sum of squares)^beta: a square, a sum over a window of `size` channels, a power and a product.
// Tiles receive the channels in their windows.
struct LocalResponse {
  int64_t size = 1;
  double alpha = 1e-4, beta = 0.75, bias = 1;
};
Tensor localResponseNorm(const OpBuilder& builder, const Tensor& x, const LocalResponse& parameters);

// x divided by its 1-norm or 2-norm along an axis.
Tensor lpNorm(const OpBuilder& builder, const Tensor& x, std::size_t axis, int p);

} // namespace simcore::ops

// Softmax and the normalisations. Statistics are computed from the tensor itself, except for batch normalisation, which gets them
// as arguments. They support Float, Double and (widened) Half. All throw reports::Error(InvalidInput) for shapes that do not fit.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

// e^x / sum over `axis`, computed from x - max.
HostTensor softmax(const HostTensor& x, std::size_t axis);
HostTensor logSoftmax(const HostTensor& x, std::size_t axis);
// 1 at the first maximum along `axis`, else 0.
HostTensor hardmax(const HostTensor& x, std::size_t axis);

// scale (x - mean) / sqrt(variance + epsilon) + bias per channel (dimension 1); all four have C elements.
HostTensor batchNorm(const HostTensor& x, const HostTensor& scale, const HostTensor& bias, const HostTensor& mean,
                     const HostTensor& variance, double epsilon);
// Mean and (population) variance per channel over all other dimensions; shape [C] each.
struct Moments {
  HostTensor mean, variance;
};
Moments channelMoments(const HostTensor& x);

// The gradients of x [N, C, ...], scale and bias for the gradient d of a batch norm's result with batch statistics. factor =
// scale / deviation; it is per channel, like mean and inverse deviation.
struct BatchNormGradients {
  HostTensor x, scale, bias;
};
BatchNormGradients batchNormGradient(const HostTensor& d, const HostTensor& x, const HostTensor& mean, const HostTensor& inverse,
                                     const HostTensor& factor);

// Whether channels can be normalised in `groups` equal groups.
inline bool divideIntoGroups(std::int64_t channels, std::int64_t groups) { return groups >= 1 && channels % groups == 0; }
// x [N, C, ...] normalised over C / groups channels and all positions; scale and bias [C]. groups = C is instance norm.
HostTensor groupNorm(const HostTensor& x, const HostTensor& scale, const HostTensor& bias, std::int64_t groups, double epsilon);

struct LayerNorm {
  HostTensor output, mean, inverseDeviation; // the last two keep the normalised dimensions as 1
};
// Normalised over dimensions [axis, rank); scale and bias (may be null) broadcast to those dimensions.
LayerNorm layerNorm(const HostTensor& x, const HostTensor& scale, const HostTensor* bias, std::size_t axis, double epsilon);

// (x - mean) / sqrt(variance + epsilon) over `axes`; the inverse deviation keeps these dimensions as 1. The gradient of x is
// inverse (d - mean(d) - out mean(d out)), where d is the gradient of `out`.
struct Whitened {
  HostTensor out, inverseDeviation;
};
Whitened whiten(const HostTensor& x, const std::vector<std::size_t>& axes, double epsilon);
HostTensor whitenGradient(const HostTensor& gradient, const Whitened& whitened, const std::vector<std::size_t>& axes);

// Local response normalisation across `size` channels: x / (bias + alpha / size * sum of squares)^beta.
HostTensor localResponseNorm(const HostTensor& x, std::int64_t size, double alpha, double beta, double bias);
// x divided by its 1- or 2-norm along `axis`.
HostTensor lpNorm(const HostTensor& x, std::size_t axis, int p);
// (x - mean) / deviation over `axes`.
HostTensor meanVarianceNorm(const HostTensor& x, const std::vector<std::size_t>& axes);

enum class LossReduction { None, Mean, Sum };
// -weight[t] x[n, t, ...] for targets t [N, ...] (integers); `weights` [C] may be null; targets equal to *ignored give 0.
// Mean divides by the sum of the weights used.
HostTensor negativeLogLikelihood(const HostTensor& x, const HostTensor& targets, const HostTensor* weights,
                                 LossReduction reduction, const std::int64_t* ignored);
// The gradient of x, with this shape, from the gradient of the loss: a single number, or for the reduction None one per target.
HostTensor negativeLogLikelihoodGradient(const HostTensor& gradient, const HostTensor& targets, const HostTensor* weights,
                                         LossReduction reduction, const std::int64_t* ignored, const Shape& x);

} // namespace simcore::numerics

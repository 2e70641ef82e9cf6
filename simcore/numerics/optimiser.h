// Updates of a parameter w and its state by a gradient g, computed in double. A result has the type of the old value, as if the
// machine's float arithmetic had rounded once. training/optimiser.h has the formulas.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

inline constexpr double kRmsPropDecay = 0.99; // beta2 of RMSProp in torch and PopTorch

struct UpdateRule {
  double rate = 0, decay = 0, divisor = 1; // the gradient is first divided by the divisor
  double momentum = 0;
  bool nesterov = false;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double trust = 0.001;
  bool decayBeside = false;  // RMSProp, AdaGrad and AdaMax: the decay is added to the update, not to the gradient
  bool asTensorFlow = false; // RMSProp in TensorFlow's form
};

// Returns the new parameter, and the new velocity if there is one.
std::vector<HostTensor> sgdUpdate(const HostTensor& w, const HostTensor& g, const HostTensor* velocity, const UpdateRule& rule);
// LARS: layer-wise adaptive rates; without `adapts` the rate is constant. Returns the new parameter, and the new velocity if
// there is one.
std::vector<HostTensor> larsUpdate(const HostTensor& w, const HostTensor& g, const HostTensor* velocity, bool adapts,
                                   const UpdateRule& rule);
// The factor of the learning rate, from the norms of the parameter and of its gradient.
double larsTrustRatio(double weights, double gradient, const UpdateRule& rule);
// Adam; with `decayBeside` the decay is added to the update instead of the gradient (AdamW), and with `byNorms` the update is
// scaled to the parameter's norm (Lamb). Returns the new parameter, first and second moment; steps count from 1.
std::vector<HostTensor> adamUpdate(const HostTensor& w, const HostTensor& g, const HostTensor& first, const HostTensor& second,
                                   double step, bool decayBeside, bool byNorms, const UpdateRule& rule);
// AdaMax: divides the mean gradient by a decaying maximum of its magnitude. Returns the same tensors as adamUpdate(), with the
// maximum as the second moment.
std::vector<HostTensor> adaMaxUpdate(const HostTensor& w, const HostTensor& g, const HostTensor& first, const HostTensor& largest,
                                     double step, const UpdateRule& rule);
// Divides the gradient by the root of its squares, summed up (AdaGrad) or averaged (RMSProp); with a mean of gradients RMSProp is
// centred. Returns the new parameter and second moment, then mean and velocity if there are any.
std::vector<HostTensor> squaresUpdate(const HostTensor& w, const HostTensor& g, const HostTensor& squares, const HostTensor* mean,
                                      const HostTensor* velocity, bool sums, const UpdateRule& rule);

} // namespace simcore::numerics

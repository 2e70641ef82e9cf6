// Updates of a parameter w and its state by a gradient g, computed in double. A result has the type of the old parameter or state, like the
// machine's float arithmetic rounded once. training/optimiser.h has the formulas.
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
  bool decayBeside = false;  // RMSProp, AdaGrad and AdaMax: the decay is not added to the gradient
  bool asTensorFlow = false; // of RMSProp
};

// Returns the new parameter, and its new velocity if it has one.
std::vector<HostTensor> sgdUpdate(const HostTensor& w, const HostTensor& g, const HostTensor* velocity, const UpdateRule& rule);
// Layer-wise adaptive rates; without `adapts` the rate is constant. Returns the new parameter, and its new velocity if it has one.
std::vector<HostTensor> larsUpdate(const HostTensor& w, const HostTensor& g, const HostTensor* velocity, bool adapts,
                                   const UpdateRule& rule);
// Factor of the learning rate, from the norm of the parameter and the norm of its gradient.
double larsTrustRatio(double weights, double gradient, const UpdateRule& rule);
// Adam; with `decayBeside` the decay is added to the update instead of the gradient (AdamW), and with `byNorms` the update has the parameter's
// norm (Lamb). Returns the new parameter, first and second moment; steps count from 1.
std::vector<HostTensor> adamUpdate(const HostTensor& w, const HostTensor& g, const HostTensor& first, const HostTensor& second,
                                   double step, bool decayBeside, bool byNorms, const UpdateRule& rule);
// AdaMax: the mean of gradients over the largest, which decays. Returns the same as adamUpdate(), with the largest for the second moment.
std::vector<HostTensor> adaMaxUpdate(const HostTensor& w, const HostTensor& g, const HostTensor& first, const HostTensor& largest,
                                     double step, const UpdateRule& rule);
// The gradient over the root of its squares, summed up (AdaGrad) or averaged (RMSProp). With a mean of gradients it is centred. The new
// parameter, second moment, mean and velocity, if it has them.
std::vector<HostTensor> squaresUpdate(const HostTensor& w, const HostTensor& g, const HostTensor& squares, const HostTensor* mean,
                                      const HostTensor* velocity, bool sums, const UpdateRule& rule);

} // namespace simcore::numerics

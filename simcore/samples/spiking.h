// Spiking neurons: leaky integrators that fire at a threshold, connected at random.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample spiking();

// A balanced network: four fifths of the neurons are excitatory, the others inhibit four times as strongly. All weights and
// drives are multiples of 1/64, so their sums are exact in any order, also in half precision.
struct SpikingNetwork {
  static constexpr double kLeak = 0.9375, kThreshold = 1; // factor of the potential per step; potential at which a neuron fires
  int64_t neurons, batch, steps;
  numerics::HostTensor weights, drive; // [neurons from, neurons to], [batch, neurons]
};
SpikingNetwork spikingNetworkOf(const Parameters& parameters, int64_t seed);

} // namespace simcore::samples

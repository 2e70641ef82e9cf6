// Spiking neurons: leaky integrators that fire when they are full, joined at random.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample spiking();

// A balanced network: four fifths of the neurons excite, the others inhibit four times as much. All weights and drives are multiples of
// 1/64, so their sums are exact in any order and in half precision.
struct SpikingNetwork {
  static constexpr double kLeak = 0.9375, kThreshold = 1; // what stays of a potential in a step; where a neuron fires
  int64_t neurons, batch, steps;
  numerics::HostTensor weights, drive; // [neurons from, neurons to], [batch, neurons]
};
SpikingNetwork spikingNetworkOf(const Parameters& parameters, int64_t seed);

} // namespace simcore::samples

// Bayesian regression by Hamiltonian Monte Carlo: a small network whose weights are sampled from their posterior.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample hmc();

// The data of a run and the two standard deviations of the model. Tests use them for a known answer: the posterior of a linear
// model is a normal distribution.
struct Regression {
  int64_t rows, inputs;
  double noise, prior;       // standard deviations of the measured values, and of every weight
  numerics::HostTensor x, y; // [rows, inputs], [rows, 1]
};
Regression regressionOf(const Parameters& parameters, int64_t seed);

} // namespace simcore::samples

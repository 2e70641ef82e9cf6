// Bayesian regression by Hamiltonian Monte Carlo: a small network whose weights are drawn from their posterior.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample hmc();

// The data of a run and the two deviations of the model, for those who know the answer: of a linear model the posterior is a normal
// distribution.
struct Regression {
  int64_t rows, inputs;
  double noise, prior;       // deviations of what is measured and of every weight
  numerics::HostTensor x, y; // [rows, inputs], [rows, 1]
};
Regression regressionOf(const Parameters& parameters, int64_t seed);

} // namespace simcore::samples

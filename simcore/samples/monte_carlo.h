// Option prices by simulation of paths with the tiles' own random number generators.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

struct Option {
  double spot = 100, strike = 100, rate = 0.05, volatility = 0.2, years = 1;
  bool call = true;
};
// The closed form of Black and Scholes, which the simulation converges to.
double blackScholes(const Option& option);

Sample monteCarlo();

} // namespace simcore::samples

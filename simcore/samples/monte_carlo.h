// Option prices by simulation of paths with the random number generators of the tiles.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

struct Option {
  double spot = 100, strike = 100, rate = 0.05, volatility = 0.2, years = 1;
  bool call = true;
};
// The formula of Black and Scholes, to which the simulation converges.
double blackScholes(const Option& option);

Sample monteCarlo();

} // namespace simcore::samples

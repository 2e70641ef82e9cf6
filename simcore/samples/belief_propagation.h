// Gaussian belief propagation: heights of a grid of points, from rough heights and finer differences of neighbours.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample beliefPropagation();

// The measurements of a run, to be solved directly. Every point has a measured height, every pair of neighbours a measured difference:
// point by point, first to the right neighbour, then to the one below.
struct Survey {
  struct Difference {
    int64_t first, second; // points; second - first was measured
    double value;
  };
  int64_t rows, columns;
  double heightPrecision, differencePrecision; // 1 / standard deviation^2
  std::vector<double> heights;                 // row by row
  std::vector<Difference> differences;
};
Survey surveyOf(const Parameters& parameters, int64_t seed);

} // namespace simcore::samples

// Gaussian belief propagation: heights of a grid of points from rough heights and finer differences between neighbours.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample beliefPropagation();

// The measurements of a run, which tests solve directly. Every point has a measured height, every pair of neighbours a measured
// difference. Differences are listed by point: first to the right neighbour, then to the one below.
struct Survey {
  struct Difference {
    int64_t first, second; // points; the difference is second - first
    double value;
  };
  int64_t rows, columns;
  double heightPrecision, differencePrecision; // 1 / standard deviation^2
  std::vector<double> heights;                 // row by row
  std::vector<Difference> differences;
};
Survey surveyOf(const Parameters& parameters, int64_t seed);

} // namespace simcore::samples

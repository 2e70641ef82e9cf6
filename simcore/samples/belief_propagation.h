// Gaussian belief propagation: heights of a grid of points, from rough heights and finer differences of neighbours.
#pragma once

#include "simcore/samples/sample.h"

namespace simcore::samples {

Sample beliefPropagation();

// The survey of a run, for those who solve it directly. Every point has a measured height, every pair of neighbours a measured difference:
// that to the right of each point before that below it, point after point.
struct Survey {
  struct Difference {
    int64_t first, second; // points; second - first was measured
    double value;
  };
  int64_t rows, columns;
  double heightPrecision, differencePrecision; // one over the square of the deviation
  std::vector<double> heights;                 // row by row
  std::vector<Difference> differences;
};
Survey surveyOf(const Parameters& parameters, int64_t seed);

} // namespace simcore::samples

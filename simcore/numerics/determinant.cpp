#include "simcore/numerics/determinant.h"

#include "reports/core/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace simcore::numerics {

namespace {

// Of an n x n matrix, by elimination with the largest pivot of each column. The matrix is overwritten.
double eliminated(double* matrix, std::int64_t n) {
  double product = 1; // an empty product is 1
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t row = k + 1; row < n; ++row)
      if (std::abs(matrix[row * n + k]) > std::abs(matrix[pivot * n + k])) pivot = row;
    const double* top = matrix + k * n;
    if (pivot != k) {
      std::swap_ranges(matrix + k * n, matrix + (k + 1) * n, matrix + pivot * n);
      product = -product;
    }
    product *= top[k];
    if (top[k] == 0) return product; // 0, or NaN after an infinite element
    for (std::int64_t row = k + 1; row < n; ++row) {
      double* lower = matrix + row * n;
      const double factor = lower[k] / top[k];
      for (std::int64_t column = k + 1; column < n; ++column) lower[column] -= factor * top[column];
    }
  }
  return product;
}

} // namespace

HostTensor determinant(const HostTensor& x) {
  if (x.rank() < 2 || x.dim(x.rank() - 1) != x.dim(x.rank() - 2))
    throw reports::Error(reports::ErrorCode::InvalidInput, "a determinant needs square matrices, not " + toString(x.shape()));
  const Shape shape(x.shape().begin(), x.shape().end() - 2);
  const std::int64_t n = x.shape().back();
  std::vector<double> values = x.toDoubles();
  std::vector<double> results;
  for (std::int64_t m = 0; m < elementCount(shape); ++m) results.push_back(eliminated(values.data() + m * n * n, n));
  return HostTensor::of(shape, results).cast(x.type());
}

} // namespace simcore::numerics

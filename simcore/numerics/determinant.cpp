#include "simcore/numerics/determinant.h"

#include "reports/core/error.h"

#include <algorithm>
#include <cmath>

namespace simcore::numerics {

namespace {

// Of a matrix [n, n], which is used up.
double eliminated(double* a, std::size_t n) {
  double result = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + k * n + n, a + pivot * n);
      result = -result;
    }
    result *= a[k * n + k];
    if (a[k * n + k] == 0) break;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return result;
}

} // namespace

HostTensor determinant(const HostTensor& x) {
  if (x.rank() < 2 || x.dim(x.rank() - 1) != x.dim(x.rank() - 2))
    throw reports::Error(reports::ErrorCode::InvalidInput, "a determinant needs square matrices, not " + toString(x.shape()));
  const Shape shape(x.shape().begin(), x.shape().end() - 2);
  const auto n = std::size_t(x.shape().back());
  std::vector<double> values = x.toDoubles(), results;
  for (std::int64_t m = 0; m < elementCount(shape); ++m) results.push_back(eliminated(values.data() + std::size_t(m) * n * n, n));
  return HostTensor::of(shape, results).cast(x.type());
}

} // namespace simcore::numerics

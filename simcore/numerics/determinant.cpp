#include "simcore/numerics/determinant.h"

#include "reports/core/error.h"

#include <Eigen/LU>

namespace simcore::numerics {

HostTensor determinant(const HostTensor& x) {
  if (x.rank() < 2 || x.dim(x.rank() - 1) != x.dim(x.rank() - 2))
    throw reports::Error(reports::ErrorCode::InvalidInput, "a determinant needs square matrices, not " + toString(x.shape()));
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Shape shape(x.shape().begin(), x.shape().end() - 2);
  const std::int64_t n = x.shape().back();
  const std::vector<double> values = x.toDoubles();
  std::vector<double> results;
  for (std::int64_t m = 0; m < elementCount(shape); ++m) // an empty product is 1
    results.push_back(n == 0 ? 1 : Eigen::Map<const Matrix>(values.data() + m * n * n, n, n).partialPivLu().determinant());
  return HostTensor::of(shape, results).cast(x.type());
}

} // namespace simcore::numerics

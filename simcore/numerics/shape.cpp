#include "simcore/numerics/shape.h"

#include "reports/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace simcore::numerics {

namespace {
constexpr std::int64_t kMaximumCount = std::int64_t(1) << 48;

[[noreturn]] void fail(const std::string& message) { throw reports::Error(reports::ErrorCode::InvalidInput, message); }
} // namespace

std::int64_t elementCount(const Shape& shape) {
  // A dimension of 0 does not hide an overflow: 2^40 x 2^40 x 0 is rejected, because parts of a shape are multiplied too.
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t dim : shape) {
    if (dim < 0) fail("the shape " + toString(shape) + " has a negative dimension");
    if (dim == 0) {
      empty = true;
      continue;
    }
    if (dim > kMaximumCount || product > kMaximumCount / dim) fail("the shape " + toString(shape) + " is too large");
    product *= dim;
  }
  return empty ? 0 : product;
}

std::int64_t elementCount(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t product = 1;
  for (std::size_t i = first; i < last; ++i) product *= shape[i];
  return product;
}

std::string toString(const Shape& shape) { return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x")); }

Shape rowMajorStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) fail("shapes " + toString(a) + " and " + toString(b) + " do not broadcast");
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

std::size_t normaliseAxis(std::int64_t axis, std::size_t rank) {
  const auto signedRank = std::int64_t(rank);
  if (axis < -signedRank || axis >= signedRank)
    fail("axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(rank));
  return std::size_t(axis < 0 ? axis + signedRank : axis);
}

std::vector<std::size_t> normaliseAxes(const std::vector<std::int64_t>& axes, std::size_t rank, bool emptyMeansAll) {
  std::vector<std::size_t> result;
  if (axes.empty() && emptyMeansAll) {
    result.resize(rank);
    std::iota(result.begin(), result.end(), std::size_t(0));
    return result;
  }
  for (const std::int64_t axis : axes) result.push_back(normaliseAxis(axis, rank));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

} // namespace simcore::numerics

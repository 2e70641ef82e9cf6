// Shapes of dense row-major tensors. Sizes come from files, so every product is checked: a shape with an overflowing element
// count is an error, not a small allocation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simcore::numerics {

using Shape = std::vector<std::int64_t>;

// Product of the dimensions; 1 for a scalar. Throws reports::Error(InvalidInput) for a negative dimension or a product
// beyond 2^48.
std::int64_t elementCount(const Shape& shape);
// Product of dimensions [first, last).
std::int64_t elementCount(const Shape& shape, std::size_t first, std::size_t last);

// "2x3x4"; "scalar" for rank 0.
std::string toString(const Shape& shape);

// Row-major strides in elements.
Shape rowMajorStrides(const Shape& shape);

// The numpy broadcast of two shapes; throws reports::Error(InvalidInput) if they are incompatible.
Shape broadcast(const Shape& a, const Shape& b);

// `axis` counted from the front; accepts [-rank, rank), throws reports::Error(InvalidInput) outside.
std::size_t normaliseAxis(std::int64_t axis, std::size_t rank);
// Like normaliseAxis() for a list of axes; the result is sorted, without duplicates. An empty list means all axes if
// `emptyMeansAll`.
std::vector<std::size_t> normaliseAxes(const std::vector<std::int64_t>& axes, std::size_t rank, bool emptyMeansAll);

} // namespace simcore::numerics

#include "simcore/numerics/layout.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace simcore::numerics {

namespace {

// Copies a strided box: output dimension i steps `strides[i]` source elements from `origin`.
template<class T> void copyStrided(const T* source, T* target, const Shape& dims, const Shape& strides) {
  if (dims.empty()) {
    *target = *source;
    return;
  }
  const std::size_t outer = dims.size() - 1;
  const std::int64_t n = dims.back(), step = strides.back();
  Shape index(outer, 0);
  const std::int64_t rows = elementCount(dims, 0, outer);
  if (n == 0) return;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (step == 1)
      std::memcpy(target, source, std::size_t(n) * sizeof(T));
    else
      for (std::int64_t i = 0; i < n; ++i) target[i] = source[i * step];
    target += n;
    for (std::size_t axis = outer; axis-- > 0;) {
      source += strides[axis];
      if (++index[axis] < dims[axis]) break;
      source -= strides[axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

// Most transposes swap two blocks of dimensions. Squares of 16 x 16 keep both sides in the cache.
template<class T> void transposePlane(const T* source, T* target, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t r0 = 0; r0 < rows; r0 += kBlock)
    for (std::int64_t c0 = 0; c0 < columns; c0 += kBlock)
      for (std::int64_t c = c0; c < std::min(c0 + kBlock, columns); ++c)
        for (std::int64_t r = r0; r < std::min(r0 + kBlock, rows); ++r) target[c * rows + r] = source[r * columns + c];
}

// Merges dimensions that stay adjacent, and drops those of size 1.
void mergeDimensions(Shape& dims, Shape& strides) {
  Shape mergedDims, mergedStrides;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!mergedDims.empty() && mergedStrides.back() == strides[i] * dims[i]) {
      mergedDims.back() *= dims[i];
      mergedStrides.back() = strides[i];
    } else {
      mergedDims.push_back(dims[i]);
      mergedStrides.push_back(strides[i]);
    }
  }
  dims = std::move(mergedDims);
  strides = std::move(mergedStrides);
}

HostTensor copiedStrided(const HostTensor& x, std::int64_t origin, Shape shape, Shape strides) {
  HostTensor result = HostTensor::uninitialised(x.type(), shape);
  if (result.count() == 0) return result;
  mergeDimensions(shape, strides);
  visitBySize(x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = rawAs<T>(x) + origin;
    T* target = mutableRawAs<T>(result);
    const std::size_t n = shape.size();
    if (n >= 2 && strides[n - 2] == 1 && strides[n - 1] == shape[n - 2]) {
      const std::int64_t columns = shape[n - 2], rows = shape[n - 1];
      Shape outerDims(shape.begin(), shape.end() - 2), outerStrides(strides.begin(), strides.end() - 2);
      std::vector<std::int64_t> index(outerDims.size(), 0);
      for (std::int64_t i = 0, count = elementCount(outerDims); i < count; ++i, target += rows * columns) {
        transposePlane(source, target, rows, columns);
        for (std::size_t axis = outerDims.size(); axis-- > 0;) {
          source += outerStrides[axis];
          if (++index[axis] < outerDims[axis]) break;
          source -= outerStrides[axis] * outerDims[axis];
          index[axis] = 0;
        }
      }
    } else {
      copyStrided(source, target, shape, strides);
    }
  });
  return result;
}

} // namespace

HostTensor transpose(const HostTensor& x, const std::vector<std::size_t>& permutation) {
  std::vector<std::size_t> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  bool valid = sorted.size() == x.rank();
  for (std::size_t i = 0; valid && i < sorted.size(); ++i) valid = sorted[i] == i;
  if (!valid) failKernel("the permutation of Transpose needs each of " + std::to_string(x.rank()) + " dimensions once");
  const Shape from = rowMajorStrides(x.shape());
  Shape shape, strides;
  for (const std::size_t axis : permutation) {
    shape.push_back(x.dim(axis));
    strides.push_back(from[axis]);
  }
  return copiedStrided(x, 0, std::move(shape), std::move(strides));
}

HostTensor concat(const std::vector<HostTensor>& parts, std::size_t axis) {
  if (parts.empty()) failKernel("Concat needs at least one input");
  Shape shape = parts[0].shape();
  if (axis >= shape.size()) failKernel("the axis of Concat is outside the shape " + toString(shape));
  shape[axis] = 0;
  for (const HostTensor& part : parts) {
    requireSameType(part, parts[0], "Concat");
    Shape other = part.shape();
    if (other.size() == shape.size()) other[axis] = parts[0].dim(axis);
    if (other != parts[0].shape())
      failKernel("Concat cannot join " + toString(parts[0].shape()) + " and " + toString(part.shape()) + " along axis " +
                 std::to_string(axis));
    shape[axis] += part.dim(axis);
  }
  HostTensor result = HostTensor::uninitialised(parts[0].type(), shape);
  const std::int64_t outer = elementCount(shape, 0, axis);
  const std::size_t inner = std::size_t(elementCount(shape, axis + 1, shape.size())) * hostSize(result.type());
  const std::size_t rowBytes = std::size_t(shape[axis]) * inner;
  std::byte* target = result.mutableRaw().data();
  std::size_t at = 0;
  for (const HostTensor& part : parts) {
    const std::size_t bytes = std::size_t(part.dim(axis)) * inner;
    if (bytes)
      for (std::int64_t i = 0; i < outer; ++i)
        std::memcpy(target + std::size_t(i) * rowBytes + at, part.raw().data() + std::size_t(i) * bytes, bytes);
    at += bytes;
  }
  return result;
}

ResolvedRange resolve(const SliceRange& range, std::int64_t dim) {
  if (range.step == 0) failKernel("a slice has step 0");
  if (dim == 0) return {0, 0, range.step};
  // With a negative step, the start is clamped to the last element, and the ends INT32_MAX and INT64_MAX mean an open end: the
  // slice includes the first element.
  const std::int64_t high = range.step > 0 ? dim : dim - 1;
  const auto clamped = [&](std::int64_t i, std::int64_t low) { return std::clamp(i < 0 ? i + dim : i, low, high); };
  const bool isOpen =
      range.end == std::numeric_limits<std::int32_t>::max() || range.end == std::numeric_limits<std::int64_t>::max();
  const std::int64_t first = clamped(range.start, 0);
  const std::int64_t last = range.step > 0 ? clamped(range.end, 0) : isOpen ? -1 : clamped(range.end, -1);
  std::int64_t count = 0;
  if (range.step > 0 && last > first) count = (last - first - 1) / range.step + 1;
  if (range.step < 0 && last < first) count = (last - first + 1) / range.step + 1;
  return {first, count, range.step};
}

HostTensor slice(const HostTensor& x, const std::vector<SliceRange>& ranges) {
  Shape shape = x.shape(), strides = rowMajorStrides(shape);
  std::int64_t origin = 0;
  for (const SliceRange& range : ranges) {
    if (range.axis >= x.rank()) failKernel("a slice names an axis outside the shape " + toString(x.shape()));
    const ResolvedRange resolved = resolve(range, x.dim(range.axis));
    if (resolved.count) origin += resolved.first * strides[range.axis];
    shape[range.axis] = resolved.count;
    if (resolved.count > 1) strides[range.axis] *= resolved.step;
  }
  return copiedStrided(x, origin, std::move(shape), std::move(strides));
}

HostTensor slice(const HostTensor& x, std::size_t axis, std::int64_t start, std::int64_t count) {
  return slice(x, {{axis, start, start + count, 1}});
}

HostTensor tile(const HostTensor& x, const std::vector<std::int64_t>& repeats) {
  if (repeats.size() != x.rank()) failKernel("Tile needs one number of repeats per dimension");
  // Each dimension d becomes (repeat, d) with stride 0 for the repeat.
  Shape shape, strides, result;
  const Shape from = rowMajorStrides(x.shape());
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (repeats[i] < 0) failKernel("Tile has a negative number of repeats");
    shape.insert(shape.end(), {repeats[i], x.dim(i)});
    strides.insert(strides.end(), {0, from[i]});
    result.push_back(repeats[i] * x.dim(i));
  }
  return copiedStrided(x, 0, std::move(shape), std::move(strides)).reshaped(std::move(result));
}

namespace {
void requireBlock(std::int64_t block) {
  if (block < 1) failKernel("the block size must be at least 1, not " + std::to_string(block));
}
} // namespace

HostTensor depthToSpace(const HostTensor& x, std::int64_t block, bool columnRowDepth) {
  requireRank(x, 4, "the input of DepthToSpace");
  const std::int64_t n = x.dim(0), c = x.dim(1), h = x.dim(2), w = x.dim(3);
  requireBlock(block);
  if (c % (block * block))
    failKernel("the " + std::to_string(c) + " channels of DepthToSpace are not a multiple of " + std::to_string(block) + " x " +
               std::to_string(block));
  const std::int64_t depth = c / (block * block);
  const HostTensor split =
      columnRowDepth ? x.reshaped({n, depth, block, block, h, w}) : x.reshaped({n, block, block, depth, h, w});
  const HostTensor moved = columnRowDepth ? transpose(split, {0, 1, 4, 2, 5, 3}) : transpose(split, {0, 3, 4, 1, 5, 2});
  return moved.reshaped({n, depth, h * block, w * block});
}

HostTensor spaceToDepth(const HostTensor& x, std::int64_t block) {
  requireRank(x, 4, "the input of SpaceToDepth");
  const std::int64_t n = x.dim(0), c = x.dim(1), h = x.dim(2), w = x.dim(3);
  requireBlock(block);
  if (h % block || w % block)
    failKernel("the size " + std::to_string(h) + " x " + std::to_string(w) + " of SpaceToDepth is not a multiple of " +
               std::to_string(block));
  return transpose(x.reshaped({n, c, h / block, block, w / block, block}), {0, 3, 5, 1, 2, 4})
      .reshaped({n, c * block * block, h / block, w / block});
}

HostTensor triangle(const HostTensor& x, bool upper, std::int64_t k) {
  if (x.rank() < 2) failKernel("Trilu needs at least two dimensions");
  HostTensor result = x;
  const std::int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  visitBySize(x.type(), [&](auto zero) {
    using T = decltype(zero);
    T* data = mutableRawAs<T>(result);
    for (std::int64_t i = 0; i < result.count(); ++i) {
      const std::int64_t column = i % columns, row = i / columns % rows;
      // Not written as column - row - k, which could overflow for k from a file.
      const bool below = k > columns || (k > -rows && column - row < k), above = k < -rows || (k < columns && column - row > k);
      if (upper ? below : above) data[i] = T{};
    }
  });
  return result;
}

HostTensor reverseSequence(const HostTensor& x, const std::vector<std::int64_t>& lengths, std::size_t batchAxis,
                           std::size_t timeAxis) {
  if (x.rank() < 2 || batchAxis > 1 || timeAxis > 1 || batchAxis == timeAxis)
    failKernel("ReverseSequence needs its batch and time in the first two dimensions");
  if (std::int64_t(lengths.size()) != x.dim(batchAxis))
    failKernel("ReverseSequence has " + std::to_string(lengths.size()) + " lengths for a batch of " +
               std::to_string(x.dim(batchAxis)));
  HostTensor result = x;
  const std::size_t inner = std::size_t(elementCount(x.shape(), 2, x.rank())) * hostSize(x.type());
  const Shape strides = rowMajorStrides({x.dim(0), x.dim(1)});
  std::byte* target = result.mutableRaw().data();
  for (std::int64_t batch = 0; batch < x.dim(batchAxis); ++batch) {
    const std::int64_t length = lengths[std::size_t(batch)];
    if (length < 0 || length > x.dim(timeAxis))
      failKernel("a length of ReverseSequence is " + std::to_string(length) + ", not 0 to " + std::to_string(x.dim(timeAxis)));
    for (std::int64_t t = 0; t < length; ++t) {
      const auto offset = [&](std::int64_t time) {
        return std::size_t(batch * strides[batchAxis] + time * strides[timeAxis]) * inner;
      };
      std::memcpy(target + offset(t), x.raw().data() + offset(length - 1 - t), inner);
    }
  }
  return result;
}

HostTensor range(const HostTensor& start, const HostTensor& step, std::int64_t count) {
  HostTensor result = HostTensor::uninitialised(start.type(), {count});
  visitAny(result.type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const T first = start.values<T>()[0], each = step.values<T>()[0];
      std::int64_t i = 0;
      for (T& element : result.mutableValues<T>()) element = T(first + T(i++) * each);
    } else {
      unsupportedType("Range", result.type());
    }
  });
  return result;
}

HostTensor eye(const Shape& shape, std::int64_t k) {
  HostTensor result(ElementType::Float, shape);
  const auto values = result.mutableValues<float>();
  for (std::int64_t row = 0; row < shape[0]; ++row)
    if (k >= -row && k < shape[1] - row) values[std::size_t(row * shape[1] + row + k)] = 1;
  return result;
}

} // namespace simcore::numerics

#include "simcore/numerics/indexing.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace simcore::numerics {

namespace {

std::int64_t checkedIndex(std::int64_t index, std::int64_t dim) {
  if (index < -dim || index >= dim)
    failKernel("index " + std::to_string(index) + " is outside a dimension of " + std::to_string(dim));
  return index < 0 ? index + dim : index;
}

std::vector<std::int64_t> indexValues(const HostTensor& indices) {
  if (!isInteger(indices.type())) failKernel("indices must be integers");
  return indices.toIntegers();
}

template<class T> T reduced(T old, T update, ScatterReduction reduction) {
  switch (reduction) {
  case ScatterReduction::None: return update;
  case ScatterReduction::Add: return T(old + update);
  case ScatterReduction::Mul: return T(old * update);
  case ScatterReduction::Min: return update < old ? update : old;
  case ScatterReduction::Max: return update > old ? update : old;
  }
  return update;
}

// Writes `count` updates at `offset` of the result.
void writeRun(HostTensor& result, std::int64_t offset, const HostTensor& updates, std::int64_t from, std::int64_t count,
              ScatterReduction reduction) {
  if (reduction == ScatterReduction::None) {
    const std::size_t size = hostSize(result.type());
    if (count)
      std::memcpy(result.mutableRaw().data() + std::size_t(offset) * size, updates.raw().data() + std::size_t(from) * size,
                  std::size_t(count) * size);
    return;
  }
  visitNumeric("a scatter with reduction", result.type(), [&](auto zero) {
    using T = decltype(zero);
    T* target = result.mutableValues<T>().data() + offset;
    const T* source = updates.values<T>().data() + from;
    for (std::int64_t i = 0; i < count; ++i) target[i] = reduced(target[i], source[i], reduction);
  });
}

// Offset in `shape` that element `position` of an index tensor addresses: the element's own coordinates, but with its value as
// the coordinate of `axis`.
std::int64_t replacedOffset(std::int64_t position, const Shape& indexShape, const Shape& strides, std::size_t axis,
                            std::int64_t coordinate) {
  std::int64_t offset = coordinate * strides[axis];
  for (std::size_t i = indexShape.size(); i-- > 0;) {
    if (i != axis) offset += position % indexShape[i] * strides[i];
    position /= indexShape[i];
  }
  return offset;
}

void requireIndexShape(const HostTensor& x, const HostTensor& indices, std::size_t axis) {
  bool fits = indices.rank() == x.rank() && axis < x.rank();
  for (std::size_t i = 0; fits && i < x.rank(); ++i) fits = i == axis || indices.dim(i) <= x.dim(i);
  if (!fits)
    failKernel("indices of " + toString(indices.shape()) + " do not fit a tensor of " + toString(x.shape()) +
               ": they may be larger only along axis " + std::to_string(axis));
}

} // namespace

HostTensor gather(const HostTensor& x, const HostTensor& indices, std::size_t axis) {
  if (axis >= x.rank()) failKernel("the axis of Gather is outside the shape " + toString(x.shape()));
  Shape shape(x.shape().begin(), x.shape().begin() + std::ptrdiff_t(axis));
  shape.insert(shape.end(), indices.shape().begin(), indices.shape().end());
  shape.insert(shape.end(), x.shape().begin() + std::ptrdiff_t(axis) + 1, x.shape().end());
  HostTensor result = HostTensor::uninitialised(x.type(), shape);
  std::vector<std::int64_t> positions = indexValues(indices);
  for (std::int64_t& position : positions) position = checkedIndex(position, x.dim(axis));
  const std::int64_t outer = elementCount(x.shape(), 0, axis);
  const std::size_t inner = std::size_t(elementCount(x.shape(), axis + 1, x.rank())) * hostSize(x.type());
  const std::byte* source = x.raw().data();
  std::byte* target = result.mutableRaw().data();
  for (std::int64_t i = 0; inner && i < outer; ++i)
    for (const std::int64_t position : positions) {
      std::memcpy(target, source + std::size_t(i * x.dim(axis) + position) * inner, inner);
      target += inner;
    }
  return result;
}

HostTensor gatherElements(const HostTensor& x, const HostTensor& indices, std::size_t axis) {
  requireIndexShape(x, indices, axis);
  HostTensor result = HostTensor::uninitialised(x.type(), indices.shape());
  const std::vector<std::int64_t> positions = indexValues(indices);
  const Shape strides = rowMajorStrides(x.shape());
  visitBySize(x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = rawAs<T>(x);
    T* target = mutableRawAs<T>(result);
    for (std::size_t i = 0; i < positions.size(); ++i)
      target[i] =
          source[replacedOffset(std::int64_t(i), indices.shape(), strides, axis, checkedIndex(positions[i], x.dim(axis)))];
  });
  return result;
}

HostTensor gatherNd(const HostTensor& x, const HostTensor& indices, std::size_t batchDims) {
  if (indices.rank() < 1 || batchDims >= indices.rank() || batchDims > x.rank())
    failKernel("GatherND with " + std::to_string(batchDims) +
               " batch dimensions needs indices with more dimensions and data with at least as many, not the shapes " +
               toString(indices.shape()) + " and " + toString(x.shape()));
  const auto coordinates = std::size_t(indices.shape().back());
  if (batchDims + coordinates > x.rank())
    failKernel("an index of GatherND has " + std::to_string(coordinates) + " coordinates; data of the shape " +
               toString(x.shape()) + " with " + std::to_string(batchDims) + " batch dimensions allows at most " +
               std::to_string(x.rank() - batchDims));
  for (std::size_t i = 0; i < batchDims; ++i)
    if (x.dim(i) != indices.dim(i))
      failKernel("GatherND's batch dimensions of data " + toString(x.shape()) + " and indices " + toString(indices.shape()) +
                 " differ");
  const std::size_t indexed = batchDims + coordinates;
  Shape shape(indices.shape().begin(), indices.shape().end() - 1);
  shape.insert(shape.end(), x.shape().begin() + std::ptrdiff_t(indexed), x.shape().end());
  HostTensor result = HostTensor::uninitialised(x.type(), shape);
  const std::vector<std::int64_t> positions = indexValues(indices);
  const Shape strides = rowMajorStrides(x.shape());
  const std::size_t size = hostSize(x.type());
  const std::size_t run = std::size_t(elementCount(x.shape(), indexed, x.rank())) * size;
  const std::int64_t batches = elementCount(x.shape(), 0, batchDims), tuples = elementCount(shape, 0, indices.rank() - 1);
  const std::int64_t perBatch = batches ? tuples / batches : 0, batchStride = elementCount(x.shape(), batchDims, x.rank());
  std::byte* target = result.mutableRaw().data();
  for (std::int64_t tuple = 0; run && tuple < tuples; ++tuple, target += run) {
    std::int64_t offset = tuple / perBatch * batchStride;
    for (std::size_t i = 0; i < coordinates; ++i)
      offset += checkedIndex(positions[std::size_t(tuple) * coordinates + i], x.dim(batchDims + i)) * strides[batchDims + i];
    std::memcpy(target, x.raw().data() + std::size_t(offset) * size, run);
  }
  return result;
}

HostTensor scatterElements(const HostTensor& x, const HostTensor& indices, const HostTensor& updates, std::size_t axis,
                           ScatterReduction reduction) {
  requireIndexShape(x, indices, axis);
  requireSameType(x, updates, "ScatterElements");
  if (updates.shape() != indices.shape()) failKernel("ScatterElements needs one update per index");
  if (isNarrowFloat(x.type()) && reduction != ScatterReduction::None)
    return scatterElements(x.cast(ElementType::Float), indices, updates.cast(ElementType::Float), axis, reduction).cast(x.type());
  HostTensor result = x;
  const std::vector<std::int64_t> positions = indexValues(indices);
  const Shape strides = rowMajorStrides(x.shape());
  for (std::size_t i = 0; i < positions.size(); ++i)
    writeRun(result, replacedOffset(std::int64_t(i), indices.shape(), strides, axis, checkedIndex(positions[i], x.dim(axis))),
             updates, std::int64_t(i), 1, reduction);
  return result;
}

HostTensor scatterNd(const HostTensor& x, const HostTensor& indices, const HostTensor& updates, ScatterReduction reduction) {
  requireSameType(x, updates, "ScatterND");
  if (indices.rank() < 1) failKernel("the indices of ScatterND need at least one dimension");
  if (std::size_t(indices.shape().back()) > x.rank())
    failKernel("an index of ScatterND has " + std::to_string(indices.shape().back()) + " coordinates, but the data has " +
               std::to_string(x.rank()) + " dimensions");
  if (isNarrowFloat(x.type()) && reduction != ScatterReduction::None)
    return scatterNd(x.cast(ElementType::Float), indices, updates.cast(ElementType::Float), reduction).cast(x.type());
  const auto coordinates = std::size_t(indices.shape().back());
  Shape expected(indices.shape().begin(), indices.shape().end() - 1);
  const std::int64_t tuples = elementCount(expected);
  expected.insert(expected.end(), x.shape().begin() + std::ptrdiff_t(coordinates), x.shape().end());
  if (updates.shape() != expected) failKernel("ScatterND's updates should be " + toString(expected));
  HostTensor result = x;
  const std::vector<std::int64_t> positions = indexValues(indices);
  const Shape strides = rowMajorStrides(x.shape());
  const std::int64_t run = elementCount(x.shape(), coordinates, x.rank());
  for (std::int64_t tuple = 0; tuple < tuples; ++tuple) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < coordinates; ++i)
      offset += checkedIndex(positions[std::size_t(tuple) * coordinates + i], x.dim(i)) * strides[i];
    writeRun(result, offset, updates, tuple * run, run, reduction);
  }
  return result;
}

HostTensor oneHot(const HostTensor& indices, std::int64_t depth, const HostTensor& values, std::size_t axis) {
  if (values.count() != 2) failKernel("OneHot has " + std::to_string(values.count()) + " values instead of 2");
  if (depth < 0) failKernel("the depth of OneHot is " + std::to_string(depth));
  if (axis > indices.rank()) failKernel("the axis of OneHot is outside the shape " + toString(indices.shape()));
  Shape shape = indices.shape();
  shape.insert(shape.begin() + std::ptrdiff_t(axis), depth);
  HostTensor result = HostTensor::uninitialised(values.type(), shape);
  const std::vector<std::int64_t> positions = indices.toIntegers();
  const std::int64_t inner = elementCount(indices.shape(), axis, indices.rank());
  visitBySize(values.type(), [&](auto zero) {
    using T = decltype(zero);
    const T off = rawAs<T>(values)[0], on = rawAs<T>(values)[1];
    T* target = mutableRawAs<T>(result);
    std::fill_n(target, result.count(), off);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::int64_t hot = positions[i] < 0 ? positions[i] + depth : positions[i];
      if (hot < 0 || hot >= depth) continue;
      target[(std::int64_t(i) / inner * depth + hot) * inner + std::int64_t(i) % inner] = on;
    }
  });
  return result;
}

HostTensor compress(const HostTensor& x, const HostTensor& condition, const std::size_t* axis) {
  requireRank(condition, 1, "the condition of Compress");
  if (!axis) {
    const std::size_t first = 0;
    return compress(x.reshaped({x.count()}), condition, &first);
  }
  const auto flags = condition.values<bool>();
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) chosen.push_back(std::int64_t(i));
  return gather(x, HostTensor::vector(chosen), *axis);
}

HostTensor nonZero(const HostTensor& x) {
  const HostTensor flags = x.cast(ElementType::Bool);
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; i < x.count(); ++i)
    if (flags.values<bool>()[std::size_t(i)]) found.push_back(i);
  const auto count = std::int64_t(found.size());
  HostTensor result = HostTensor::uninitialised(ElementType::Int64, {std::int64_t(x.rank()), count});
  const Shape strides = rowMajorStrides(x.shape());
  std::int64_t* target = result.mutableValues<std::int64_t>().data();
  for (std::size_t axis = 0; axis < x.rank(); ++axis)
    for (std::int64_t i = 0; i < count; ++i)
      target[std::int64_t(axis) * count + i] = found[std::size_t(i)] / strides[axis] % x.dim(axis);
  return result;
}

HostTensor addAt(const HostTensor& values, const HostTensor& places, const Shape& shape, std::int64_t first) {
  const auto at = places.values<std::int64_t>();
  return inRealType(values.type(), [&](auto zero) {
    using T = decltype(zero);
    HostTensor result(ElementTypeOf<T>::kType, shape);
    const HostTensor given = values.cast(result.type());
    const auto from = given.template values<T>();
    const auto to = result.template mutableValues<T>();
    for (std::size_t i = 0; i < from.size(); ++i)
      if (at[i] >= first) to[std::size_t(at[i] - first)] += from[i];
    return result;
  });
}

namespace {
// Slices of `width` values each, stored consecutively. NaN equals NaN and sorts after all numbers, so that the order is total.
class Slices {
public:
  Slices(const HostTensor& x, std::size_t axis) {
    const std::int64_t count = x.dim(axis), outer = elementCount(x.shape(), 0, axis),
                       inner = elementCount(x.shape(), axis + 1, x.rank());
    m_width = outer * inner;
    if (outer == 1) {
      m_values = x.toDoubles();
      return;
    }
    const std::vector<double> values = x.toDoubles();
    m_values.reserve(values.size());
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t o = 0; o < outer; ++o) {
        const auto from = values.begin() + (o * count + i) * inner;
        m_values.insert(m_values.end(), from, from + inner);
      }
  }

  static bool isBefore(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

  // The slices' indices sorted by value; equal slices stay in order.
  std::vector<std::int64_t> sorted(std::int64_t count) const {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    if (m_width == 1) { // sorts values together with their indices, because sorting only indices would read memory at random
      std::vector<std::pair<double, std::int64_t>> keyed(order.size());
      for (std::size_t i = 0; i < keyed.size(); ++i) keyed[i] = {m_values[i], std::int64_t(i)};
      std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
        return isBefore(a.first, b.first) || (!isBefore(b.first, a.first) && a.second < b.second);
      });
      std::transform(keyed.begin(), keyed.end(), order.begin(), [](const auto& k) { return k.second; });
    } else {
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return isLess(a, b); });
    }
    return order;
  }
  bool isLess(std::int64_t a, std::int64_t b) const {
    const auto at = [&](std::int64_t i) { return m_values.begin() + i * m_width; };
    return std::lexicographical_compare(at(a), at(a) + m_width, at(b), at(b) + m_width, isBefore);
  }

private:
  std::int64_t m_width = 0;
  std::vector<double> m_values;
};
} // namespace

UniqueSlices unique(const HostTensor& given, const std::size_t* along, bool sorted) {
  const HostTensor x = along ? given : given.reshaped({given.count()});
  const std::size_t axis = along ? *along : 0;
  const Slices slices(x, axis);
  const std::vector<std::int64_t> order = slices.sorted(x.dim(axis));
  std::vector<std::int64_t> first, counts; // per distinct value, in sorted order
  std::vector<std::int64_t> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || slices.isLess(order[i - 1], order[i])) first.push_back(order[i]), counts.push_back(0);
    ++counts.back();
    inverse[std::size_t(order[i])] = std::int64_t(first.size()) - 1;
  }
  if (!sorted) { // in order of first occurrence
    std::vector<std::int64_t> byPlace(first.size()), place(first.size());
    std::iota(byPlace.begin(), byPlace.end(), 0);
    std::sort(byPlace.begin(), byPlace.end(),
              [&](std::int64_t a, std::int64_t b) { return first[std::size_t(a)] < first[std::size_t(b)]; });
    std::vector<std::int64_t> firstCome, countsCome;
    for (std::size_t i = 0; i < byPlace.size(); ++i) {
      const auto value = std::size_t(byPlace[i]);
      place[value] = std::int64_t(i);
      firstCome.push_back(first[value]), countsCome.push_back(counts[value]);
    }
    for (std::int64_t& value : inverse) value = place[std::size_t(value)];
    first = std::move(firstCome), counts = std::move(countsCome);
  }
  return {gather(x, HostTensor::vector(first), axis), HostTensor::vector(first), HostTensor::vector(inverse),
          HostTensor::vector(counts)};
}

} // namespace simcore::numerics

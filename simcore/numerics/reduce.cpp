#include "simcore/numerics/reduce.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

namespace simcore::numerics {

namespace {

// A tensor seen as [outer, n, inner], reduced over n.
struct Blocks {
  std::int64_t outer = 1, n = 1, inner = 1;
};

template<class T> T sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return T(std::uint64_t(a) + std::uint64_t(b));
}
template<class T> T product(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return T(std::uint64_t(a) * std::uint64_t(b));
}
template<class T> T magnitude(T a) { return a < T(0) ? T(T(0) - a) : a; }

// Keeps sixteen partial results along contiguous rows. This can be vectorised, and is more accurate than one running sum.
template<class T, class Map, class Join> T foldRow(const T* row, std::int64_t n, T neutral, Map map, Join join) {
  constexpr std::int64_t kLanes = 16;
  T lanes[kLanes];
  std::fill(lanes, lanes + kLanes, neutral);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = join(lanes[lane], map(row[i + lane]));
  for (std::int64_t lane = 0; i < n; ++i, ++lane) lanes[lane] = join(lanes[lane], map(row[i]));
  for (std::int64_t width = kLanes / 2; width; width /= 2)
    for (std::int64_t lane = 0; lane < width; ++lane) lanes[lane] = join(lanes[lane], lanes[lane + width]);
  return lanes[0];
}

template<class T, class Map, class Join> void fold(const T* source, T* target, const Blocks& b, T neutral, Map map, Join join) {
  for (std::int64_t outer = 0; outer < b.outer; ++outer) {
    const T* block = source + outer * b.n * b.inner;
    T* out = target + outer * b.inner;
    if (b.inner == 1) {
      out[0] = foldRow(block, b.n, neutral, map, join);
      continue;
    }
    std::fill(out, out + b.inner, neutral);
    for (std::int64_t i = 0; i < b.n; ++i)
      for (std::int64_t j = 0; j < b.inner; ++j) out[j] = join(out[j], map(block[i * b.inner + j]));
  }
}

template<class T> void logSumExp(const T* source, T* target, const Blocks& b) {
  if constexpr (std::is_floating_point_v<T>)
    for (std::int64_t outer = 0; outer < b.outer; ++outer)
      for (std::int64_t j = 0; j < b.inner; ++j) {
        const T* column = source + outer * b.n * b.inner + j;
        T top = -std::numeric_limits<T>::infinity(), total = 0;
        for (std::int64_t i = 0; i < b.n; ++i) top = std::max(top, column[i * b.inner]);
        const T shift = std::isfinite(top) ? top : T(0);
        for (std::int64_t i = 0; i < b.n; ++i) total += std::exp(column[i * b.inner] - shift);
        target[outer * b.inner + j] = shift + std::log(total);
      }
}

template<class T> void run(ReduceKind kind, const T* x, T* y, const Blocks& b) {
  const auto same = [](T v) { return v; };
  const auto add = [](T u, T v) { return sum(u, v); };
  using Limits = std::numeric_limits<T>;
  const std::int64_t count = b.outer * b.inner;
  switch (kind) {
  case ReduceKind::Max:
    return fold(x, y, b, Limits::has_infinity ? T(-Limits::infinity()) : Limits::lowest(), same,
                [](T u, T v) { return v > u || v != v ? v : u; });
  case ReduceKind::Min:
    return fold(x, y, b, Limits::has_infinity ? Limits::infinity() : Limits::max(), same,
                [](T u, T v) { return v < u || v != v ? v : u; });
  case ReduceKind::Prod: return fold(x, y, b, T(1), same, [](T u, T v) { return product(u, v); });
  case ReduceKind::L1:
    return fold(
        x, y, b, T(0), [](T v) { return magnitude(v); }, add);
  case ReduceKind::SumSquare:
  case ReduceKind::L2:
    fold(
        x, y, b, T(0), [](T v) { return product(v, v); }, add);
    break;
  case ReduceKind::LogSumExp: return logSumExp(x, y, b);
  default: fold(x, y, b, T(0), same, add); break;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (kind == ReduceKind::Mean) y[i] = b.n ? T(y[i] / T(b.n)) : Limits::quiet_NaN();
    if (kind == ReduceKind::L2) y[i] = T(std::sqrt(y[i]));
    if (kind == ReduceKind::LogSum) y[i] = T(std::log(y[i]));
  }
}

HostTensor reduceBlocks(ReduceKind kind, const HostTensor& x, const Blocks& blocks, const Shape& shape) {
  HostTensor result = HostTensor::uninitialised(x.type(), shape);
  visitNumeric("a reduction", x.type(), [&](auto zero) {
    using T = decltype(zero);
    run(kind, x.values<T>().data(), result.mutableValues<T>().data(), blocks);
  });
  return result;
}

} // namespace

Shape reducedShape(const Shape& shape, const std::vector<std::size_t>& axes, bool keepDims) {
  Shape result;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!std::binary_search(axes.begin(), axes.end(), i))
      result.push_back(shape[i]);
    else if (keepDims)
      result.push_back(1);
  return result;
}

HostTensor reduce(ReduceKind kind, const HostTensor& x, const std::vector<std::size_t>& axes, bool keepDims) {
  if (isNarrowFloat(x.type())) return reduce(kind, x.cast(ElementType::Float), axes, keepDims).cast(x.type());
  // A root or logarithm of integers is computed in double and truncated, like numpy's cast.
  const bool needsReal = kind == ReduceKind::L2 || kind == ReduceKind::LogSum || kind == ReduceKind::LogSumExp;
  if (needsReal && !isFloating(x.type())) return reduce(kind, x.cast(ElementType::Double), axes, keepDims).cast(x.type());
  const Shape shape = reducedShape(x.shape(), axes, keepDims);
  Blocks blocks;
  for (const std::size_t axis : axes) blocks.n *= x.dim(axis);
  if (blocks.n == 0 && (kind == ReduceKind::Max || kind == ReduceKind::Min))
    failKernel("a maximum or minimum over no elements has no value");
  const bool contiguous = axes.empty() || axes.back() - axes.front() + 1 == axes.size();
  if (contiguous) {
    const std::size_t first = axes.empty() ? x.rank() : axes.front(), last = axes.empty() ? x.rank() : axes.back() + 1;
    blocks.outer = elementCount(x.shape(), 0, first);
    blocks.inner = elementCount(x.shape(), last, x.rank());
    return reduceBlocks(kind, x, blocks, shape);
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (!std::binary_search(axes.begin(), axes.end(), i)) order.push_back(i);
  order.insert(order.end(), axes.begin(), axes.end());
  blocks.outer = elementCount(shape);
  return reduceBlocks(kind, transpose(x, order), blocks, shape);
}

HostTensor argReduce(const HostTensor& x, std::size_t axis, bool largest, bool keepDims, bool lastOnTies) {
  if (isNarrowFloat(x.type())) return argReduce(x.cast(ElementType::Float), axis, largest, keepDims, lastOnTies);
  if (axis >= x.rank()) failKernel("the axis of ArgMax or ArgMin is outside the shape " + toString(x.shape()));
  const std::int64_t n = x.dim(axis), inner = elementCount(x.shape(), axis + 1, x.rank());
  if (n == 0) failKernel("ArgMax or ArgMin over no elements has no value");
  HostTensor result = HostTensor::uninitialised(ElementType::Int64, reducedShape(x.shape(), {axis}, keepDims));
  std::int64_t* target = result.mutableValues<std::int64_t>().data();
  visitNumeric("ArgMax or ArgMin", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    for (std::int64_t i = 0; i < result.count(); ++i) {
      const T* column = source + i / inner * n * inner + i % inner;
      std::int64_t best = 0;
      for (std::int64_t k = 1; k < n; ++k) {
        const T value = column[k * inner], champion = column[best * inner];
        if ((largest ? value > champion : value < champion) || (lastOnTies && value == champion)) best = k;
      }
      target[i] = best;
    }
  });
  return result;
}

HostTensor cumulativeSum(const HostTensor& x, std::size_t axis, bool exclusive, bool reverse) {
  if (isNarrowFloat(x.type())) return cumulativeSum(x.cast(ElementType::Float), axis, exclusive, reverse).cast(x.type());
  if (axis >= x.rank()) failKernel("the axis of CumSum is outside the shape " + toString(x.shape()));
  HostTensor result = HostTensor::uninitialised(x.type(), x.shape());
  const std::int64_t n = x.dim(axis), inner = elementCount(x.shape(), axis + 1, x.rank());
  const std::int64_t outer = elementCount(x.shape(), 0, axis);
  visitNumeric("CumSum", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    T* target = result.mutableValues<T>().data();
    for (std::int64_t block = 0; block < outer; ++block)
      for (std::int64_t j = 0; j < inner; ++j) {
        T running{};
        for (std::int64_t k = 0; k < n; ++k) {
          const std::int64_t at = (block * n + (reverse ? n - 1 - k : k)) * inner + j;
          const T before = running;
          running = sum(running, source[at]);
          target[at] = exclusive ? before : running;
        }
      }
  });
  return result;
}

TopK topK(const HostTensor& x, std::int64_t k, std::size_t axis, bool largest, bool sorted) {
  if (isNarrowFloat(x.type())) {
    TopK wide = topK(x.cast(ElementType::Float), k, axis, largest, sorted);
    wide.values = wide.values.cast(x.type());
    return wide;
  }
  if (axis >= x.rank()) failKernel("the axis of TopK is outside the shape " + toString(x.shape()));
  if (k < 0 || k > x.dim(axis))
    failKernel("TopK selects " + std::to_string(k) + " of " + std::to_string(x.dim(axis)) + " elements");
  Shape shape = x.shape();
  shape[axis] = k;
  TopK result{HostTensor::uninitialised(x.type(), shape), HostTensor::uninitialised(ElementType::Int64, shape)};
  const std::int64_t n = x.dim(axis), inner = elementCount(x.shape(), axis + 1, x.rank());
  const std::int64_t columns = n ? x.count() / n : 0;
  visitNumeric("TopK", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    T* values = result.values.mutableValues<T>().data();
    std::int64_t* indices = result.indices.mutableValues<std::int64_t>().data();
    std::vector<std::int64_t> order(std::size_t(n), 0);
    for (std::int64_t column = 0; column < columns; ++column) {
      const T* from = source + column / inner * n * inner + column % inner;
      std::iota(order.begin(), order.end(), 0);
      // NaN ranks above every number, so that the order is strict for any data.
      const auto before = [&](std::int64_t a, std::int64_t b) {
        const T u = from[a * inner], v = from[b * inner];
        const bool uNaN = u != u, vNaN = v != v;
        if (uNaN != vNaN) return largest ? uNaN : vNaN;
        if (!uNaN && u != v) return largest ? u > v : u < v;
        return a < b;
      };
      std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
      if (!sorted) std::sort(order.begin(), order.begin() + k);
      for (std::int64_t i = 0; i < k; ++i) {
        const std::int64_t at = (column / inner * k + i) * inner + column % inner;
        values[at] = from[order[std::size_t(i)] * inner];
        indices[at] = order[std::size_t(i)];
      }
    }
  });
  return result;
}

} // namespace simcore::numerics

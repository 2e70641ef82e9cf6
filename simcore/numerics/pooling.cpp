#include "simcore/numerics/pooling.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/indexing.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simcore::numerics {

namespace {

Shape spatial(const Shape& shape) { return {shape.begin() + 2, shape.end()}; }

// The outputs [first, last) of a dimension for which kernel position k is inside the input.
struct Reach {
  std::int64_t first, last, offset; // input = output * stride + offset
};
Reach reachOf(const Window& w, std::size_t axis, std::int64_t k, std::int64_t inputs, std::int64_t outputs) {
  const std::int64_t offset = k * w.dilations[axis] - w.padsBefore[axis], stride = w.strides[axis];
  const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const std::int64_t last = inputs - 1 - offset < 0 ? 0 : (inputs - 1 - offset) / stride + 1;
  return {std::min(first, outputs), std::clamp(last, std::min(first, outputs), outputs), offset};
}

// Calls f(outputRow, inputRow, n, stride) for every row of outputs and every kernel position inside the input, for one
// image plane. Kernel positions are the outer loop, so that rows are long and vectorise.
template<class F> void forEachRow(const Window& w, const Shape& in, const Shape& out, F f) {
  const std::size_t n = in.size();
  const std::int64_t taps = elementCount(w.kernel);
  std::vector<Reach> reach(n);
  std::vector<std::int64_t> index(n);
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    std::int64_t rest = tap;
    bool any = true;
    for (std::size_t axis = n; axis-- > 0; rest /= w.kernel[axis]) {
      reach[axis] = reachOf(w, axis, rest % w.kernel[axis], in[axis], out[axis]);
      any = any && reach[axis].first < reach[axis].last;
      index[axis] = reach[axis].first;
    }
    while (any) {
      std::int64_t from = 0, to = 0;
      for (std::size_t axis = 0; axis < n; ++axis) {
        from = from * in[axis] + index[axis] * w.strides[axis] + reach[axis].offset;
        to = to * out[axis] + index[axis];
      }
      f(to, from, reach[n - 1].last - reach[n - 1].first, w.strides[n - 1]);
      std::size_t axis = n - 1;
      for (;;) {
        if (axis == 0) {
          any = false;
          break;
        }
        --axis;
        if (++index[axis] < reach[axis].last) break;
        index[axis] = reach[axis].first;
      }
    }
  }
}

template<class T> void maxPlane(const Window& w, const Shape& in, const Shape& out, const T* x, T* y, std::int64_t count) {
  using Limits = std::numeric_limits<T>;
  std::fill_n(y, count, Limits::has_infinity ? T(-Limits::infinity()) : Limits::lowest());
  forEachRow(w, in, out, [&](std::int64_t to, std::int64_t from, std::int64_t n, std::int64_t stride) {
    T* target = y + to;
    const T* source = x + from;
    if (stride == 1)
      for (std::int64_t i = 0; i < n; ++i) target[i] = target[i] < source[i] ? source[i] : target[i];
    else if (stride == 2)
      for (std::int64_t i = 0; i < n; ++i) target[i] = target[i] < source[2 * i] ? source[2 * i] : target[i];
    else
      for (std::int64_t i = 0; i < n; ++i) target[i] = target[i] < source[i * stride] ? source[i * stride] : target[i];
  });
}

template<class T>
void argmaxPlane(const Window& w, const Shape& in, const Shape& out, const T* x, T* y, std::int64_t* at, std::int64_t count) {
  std::fill_n(y, count, std::numeric_limits<T>::lowest());
  std::fill_n(at, count, std::int64_t(-1));
  forEachRow(w, in, out, [&](std::int64_t to, std::int64_t from, std::int64_t n, std::int64_t stride) {
    for (std::int64_t i = 0; i < n; ++i)
      if (at[to + i] < 0 || y[to + i] < x[from + i * stride]) {
        y[to + i] = x[from + i * stride];
        at[to + i] = from + i * stride;
      }
  });
}

// Position in a plane, counted with the first dimension fastest.
std::int64_t columnMajorPosition(std::int64_t position, const Shape& dims) {
  std::int64_t result = 0;
  for (std::size_t i = dims.size(); i-- > 0; position /= dims[i]) {
    std::int64_t stride = 1;
    for (std::size_t j = 0; j < i; ++j) stride *= dims[j];
    result += position % dims[i] * stride;
  }
  return result;
}

// The number of elements that each window averages.
std::vector<std::int64_t> windowCounts(const Window& w, const Shape& in, const Shape& out, bool countPads) {
  std::vector<std::int64_t> counts(std::size_t(elementCount(out)), 1);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    auto rest = std::int64_t(i);
    for (std::size_t axis = out.size(); axis-- > 0; rest /= out[axis]) {
      const std::int64_t start = rest % out[axis] * w.strides[axis] - w.padsBefore[axis];
      const std::int64_t low = countPads ? -w.padsBefore[axis] : 0;
      const std::int64_t high = in[axis] + (countPads ? w.padsAfter[axis] : 0);
      std::int64_t inside = 0;
      for (std::int64_t k = 0; k < w.kernel[axis]; ++k) {
        const std::int64_t at = start + k * w.dilations[axis];
        inside += at >= low && at < high;
      }
      counts[i] *= inside;
    }
  }
  return counts;
}

template<class T> void sumPlane(const Window& w, const Shape& in, const Shape& out, const T* x, T* y, std::int64_t count) {
  std::fill_n(y, count, T{});
  forEachRow(w, in, out, [&](std::int64_t to, std::int64_t from, std::int64_t n, std::int64_t stride) {
    for (std::int64_t i = 0; i < n; ++i) y[to + i] = T(y[to + i] + x[from + i * stride]);
  });
}

} // namespace

Shape poolShape(const Shape& x, const Window& window, bool ceiling) {
  if (x.size() < 3) failKernel("pooling needs an input of rank 3 or more, not " + toString(x));
  Shape shape{x[0], x[1]};
  const Shape sizes = windowOutputSizes(window, spatial(x), ceiling);
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return shape;
}

HostTensor maxPool(const HostTensor& x, const Window& window, bool ceiling, HostTensor* indices, bool columnMajor) {
  if (isNarrowFloat(x.type())) return maxPool(x.cast(ElementType::Float), window, ceiling, indices, columnMajor).cast(x.type());
  HostTensor result = HostTensor::uninitialised(x.type(), poolShape(x.shape(), window, ceiling));
  const Shape in = spatial(x.shape()), out = spatial(result.shape());
  const std::int64_t inSize = elementCount(in), outSize = elementCount(out), planes = x.dim(0) * x.dim(1);
  if (indices) *indices = HostTensor::uninitialised(ElementType::Int64, result.shape());
  std::int64_t* at = indices ? indices->mutableValues<std::int64_t>().data() : nullptr;
  visitNumeric("MaxPool", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    T* target = result.mutableValues<T>().data();
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      const T* from = source + plane * inSize;
      if (!at) {
        maxPlane(window, in, out, from, target + plane * outSize, outSize);
        continue;
      }
      std::int64_t* found = at + plane * outSize;
      argmaxPlane(window, in, out, from, target + plane * outSize, found, outSize);
      for (std::int64_t i = 0; i < outSize; ++i)
        found[i] = plane * inSize + (columnMajor ? columnMajorPosition(found[i], in) : found[i]);
    }
  });
  return result;
}

HostTensor averagePool(const HostTensor& x, const Window& window, bool ceiling, bool countPads) {
  if (isNarrowFloat(x.type())) return averagePool(x.cast(ElementType::Float), window, ceiling, countPads).cast(x.type());
  HostTensor result = HostTensor::uninitialised(x.type(), poolShape(x.shape(), window, ceiling));
  const Shape in = spatial(x.shape()), out = spatial(result.shape());
  const std::int64_t inSize = elementCount(in), outSize = elementCount(out), planes = x.dim(0) * x.dim(1);
  const std::vector<std::int64_t> counts = windowCounts(window, in, out, countPads);
  visitReal("AveragePool", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    T* target = result.mutableValues<T>().data();
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      T* to = target + plane * outSize;
      sumPlane(window, in, out, source + plane * inSize, to, outSize);
      for (std::int64_t i = 0; i < outSize; ++i) to[i] = counts[std::size_t(i)] ? to[i] / T(counts[std::size_t(i)]) : T{};
    }
  });
  return result;
}

HostTensor lpPool(const HostTensor& x, const Window& window, bool ceiling, double p) {
  if (isNarrowFloat(x.type())) return lpPool(x.cast(ElementType::Float), window, ceiling, p).cast(x.type());
  const HostTensor exponent = HostTensor::full(x.type(), {}, p), root = HostTensor::full(x.type(), {}, 1 / p);
  const HostTensor powers = binary(BinaryKind::Pow, unary(UnaryKind::Abs, x), exponent);
  HostTensor result = HostTensor::uninitialised(x.type(), poolShape(x.shape(), window, ceiling));
  const Shape in = spatial(x.shape()), out = spatial(result.shape());
  const std::int64_t inSize = elementCount(in), outSize = elementCount(out), planes = x.dim(0) * x.dim(1);
  visitReal("LpPool", x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = powers.values<T>().data();
    T* target = result.mutableValues<T>().data();
    for (std::int64_t plane = 0; plane < planes; ++plane)
      sumPlane(window, in, out, source + plane * inSize, target + plane * outSize, outSize);
  });
  return binary(BinaryKind::Pow, result, root);
}

HostTensor maxPoolGradient(const HostTensor& x, const HostTensor& gradient, const Window& window, bool ceiling) {
  HostTensor places;
  maxPool(x, window, ceiling, &places);
  return addAt(gradient, places, x.shape());
}

namespace {
// The input positions of one output position, in one dimension.
struct WindowPositions {
  std::vector<std::int64_t> inside;
  std::int64_t padded = 0; // positions including pads, without those that a ceiling adds beyond the pads
};
WindowPositions positionsOf(const Window& w, std::size_t d, std::int64_t out, std::int64_t in) {
  WindowPositions positions;
  for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
    const std::int64_t at = out * w.strides[d] - w.padsBefore[d] + k * w.dilations[d];
    if (at >= 0 && at < in) positions.inside.push_back(at);
    if (at < in + w.padsAfter[d]) ++positions.padded;
  }
  return positions;
}
} // namespace

HostTensor averagePoolGradient(const HostTensor& gradient, const Shape& x, const Window& w, bool countPads) {
  const Shape inSizes = spatial(x), outSizes = spatial(gradient.shape()), strides = rowMajorStrides(inSizes);
  const std::int64_t planes = x[0] * x[1], outs = elementCount(outSizes), ins = elementCount(inSizes);
  return inRealType(gradient.type(), [&](auto zero) {
    using T = decltype(zero);
    HostTensor result(ElementTypeOf<T>::kType, x);
    const HostTensor dy = gradient.cast(result.type());
    const auto dx = result.template mutableValues<T>();
    const auto g = dy.template values<T>();
    for (std::int64_t o = 0; o < outs; ++o) {
      std::vector<std::int64_t> positions{0};
      std::int64_t rest = o, padded = 1;
      for (std::size_t d = w.dimensions(); d-- > 0; rest /= outSizes[d]) {
        const WindowPositions window = positionsOf(w, d, rest % outSizes[d], inSizes[d]);
        padded *= window.padded;
        std::vector<std::int64_t> more;
        for (const std::int64_t at : window.inside)
          for (const std::int64_t p : positions) more.push_back(p + at * strides[d]);
        positions = std::move(more);
      }
      const T share = T(1) / T(std::max<std::int64_t>(1, countPads ? padded : std::int64_t(positions.size())));
      for (std::int64_t plane = 0; plane < planes; ++plane)
        for (const std::int64_t p : positions) dx[std::size_t(plane * ins + p)] += share * g[std::size_t(plane * outs + o)];
    }
    return result;
  });
}

} // namespace simcore::numerics

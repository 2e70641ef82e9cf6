#include "simcore/numerics/kernel_support.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/numerics/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace simcore::numerics {

namespace {

// Calls f(source, target, n, step) for every line of elements along `axis`.
template<class F> HostTensor alongAxis(const char* kernel, const HostTensor& x, std::size_t axis, F f) {
  if (axis >= x.rank()) failKernel(fmt::format("the axis of {} is outside the shape {}", kernel, toString(x.shape())));
  if (isNarrowFloat(x.type())) return alongAxis(kernel, x.cast(ElementType::Float), axis, f).cast(x.type());
  HostTensor result = HostTensor::uninitialised(x.type(), x.shape());
  const std::int64_t n = x.dim(axis), inner = elementCount(x.shape(), axis + 1, x.rank());
  const std::int64_t lines = n ? x.count() / n : 0;
  visitReal(kernel, x.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* source = x.values<T>().data();
    T* target = result.mutableValues<T>().data();
    for (std::int64_t line = 0; line < lines; ++line) {
      const std::int64_t at = line / inner * n * inner + line % inner;
      f(source + at, target + at, n, inner);
    }
  });
  return result;
}

template<class T> T largest(const T* x, std::int64_t n, std::int64_t step) {
  T top = x[0];
  for (std::int64_t i = 1; i < n; ++i) top = std::max(top, x[i * step]);
  return top;
}

} // namespace

HostTensor softmax(const HostTensor& x, std::size_t axis) {
  return alongAxis("Softmax", x, axis, []<class T>(const T* from, T* to, std::int64_t n, std::int64_t step) {
    const T top = largest(from, n, step);
    T total = 0;
    for (std::int64_t i = 0; i < n; ++i) total += to[i * step] = std::exp(from[i * step] - top);
    const T scale = T(1) / total;
    for (std::int64_t i = 0; i < n; ++i) to[i * step] *= scale;
  });
}

HostTensor logSoftmax(const HostTensor& x, std::size_t axis) {
  return alongAxis("LogSoftmax", x, axis, []<class T>(const T* from, T* to, std::int64_t n, std::int64_t step) {
    const T top = largest(from, n, step);
    T total = 0;
    for (std::int64_t i = 0; i < n; ++i) total += std::exp(from[i * step] - top);
    const T shift = top + std::log(total);
    for (std::int64_t i = 0; i < n; ++i) to[i * step] = from[i * step] - shift;
  });
}

HostTensor hardmax(const HostTensor& x, std::size_t axis) {
  return alongAxis("Hardmax", x, axis, []<class T>(const T* from, T* to, std::int64_t n, std::int64_t step) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < n; ++i)
      if (from[i * step] > from[best * step]) best = i;
    for (std::int64_t i = 0; i < n; ++i) to[i * step] = i == best ? T(1) : T(0);
  });
}

} // namespace simcore::numerics

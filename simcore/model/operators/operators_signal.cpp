// Signal operators of opset 17 (windows, discrete Fourier transforms) and a few rare ones whose results depend on data.
#include "simcore/model/operators/signal_parameters.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/determinant.h"
#include "simcore/numerics/fourier.h"
#include "simcore/numerics/indexing.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

namespace {

Types inferWindow(const Call& call) { return {{windowParameters(call).type, {call.value(0).integerAt(0)}}}; }
Tensors window(const Call& call) {
  const WindowParameters w = windowParameters(call);
  const std::int64_t size = call.value(0).integerAt(0);
  numerics::elementCount({size});
  std::vector<double> values;
  for (std::int64_t n = 0; n < size; ++n) {
    const double phase = 2 * M_PI * double(n) / w.period(size);
    values.push_back(w.a0 - w.a1 * std::cos(phase) + w.a2 * std::cos(2 * phase));
  }
  return {HostTensor::vector(values).cast(w.type)};
}

using Complex = std::complex<double>;

Types inferDft(const Call& call) {
  const DftParameters d = dftParameters(call);
  Shape shape = call.shape(0);
  shape[d.axis] = d.outputs;
  shape.back() = 2;
  numerics::elementCount(shape);
  return {{call.elementType(0), shape}};
}
Tensors dft(const Call& call) {
  const DftParameters d = dftParameters(call);
  const Shape& x = call.shape(0);
  const Shape shape = inferDft(call)[0].shape;
  const std::vector<double> in = call.value(0).toDoubles();
  const std::int64_t parts = x.back(), outer = numerics::elementCount(x, 0, d.axis),
                     inner = numerics::elementCount(x, d.axis + 1, x.size() - 1), samples = x[d.axis];
  std::vector<double> out(std::size_t(numerics::elementCount(shape)));
  std::vector<Complex> line(std::size_t(samples), Complex{});
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      for (std::int64_t n = 0; n < samples; ++n) {
        const auto at = std::size_t(((o * samples + n) * inner + i) * parts);
        line[std::size_t(n)] = {in[at], parts == 2 ? in[at + 1] : 0};
      }
      const auto result = numerics::fourier(line, std::size_t(d.length), std::size_t(d.outputs), d.inverse);
      for (std::int64_t k = 0; k < d.outputs; ++k) {
        const auto at = std::size_t(((o * d.outputs + k) * inner + i) * 2);
        out[at] = result[std::size_t(k)].real();
        out[at + 1] = result[std::size_t(k)].imag();
      }
    }
  return {HostTensor::of(shape, out).cast(call.elementType(0))};
}

Types inferStft(const Call& call) {
  const StftParameters s = stftParameters(call);
  return {{call.elementType(0), {call.shape(0)[0], s.frames, s.outputs, 2}}};
}
Tensors stft(const Call& call) {
  const StftParameters s = stftParameters(call);
  const std::vector<double> x = call.value(0).toDoubles();
  const std::vector<double> window = call.has(2) ? call.value(2).toDoubles() : std::vector<double>(std::size_t(s.length), 1);
  const Shape shape = inferStft(call)[0].shape;
  std::vector<double> out;
  out.reserve(std::size_t(numerics::elementCount(shape)));
  std::vector<Complex> frame(std::size_t(s.length), Complex{});
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t f = 0; f < s.frames; ++f) {
      for (std::int64_t n = 0; n < s.length; ++n)
        frame[std::size_t(n)] = x[std::size_t(b * call.shape(0)[1] + f * s.step + n)] * window[std::size_t(n)];
      for (const Complex& v : numerics::fourier(frame, frame.size(), std::size_t(s.outputs), false))
        out.insert(out.end(), {v.real(), v.imag()});
    }
  return {HostTensor::of(shape, out).cast(call.elementType(0))};
}

Types inferDeterminant(const Call& call) {
  const Shape& x = call.shape(0);
  if (x.size() < 2 || x[x.size() - 1] != x[x.size() - 2]) throw Error(ErrorCode::InvalidInput, "Det needs square matrices");
  return {{call.elementType(0), Shape(x.begin(), x.end() - 2)}};
}
Tensors determinant(const Call& call) { return {numerics::determinant(call.value(0))}; }

// The different slices along an axis (or elements), where each was first, which each element is, and how often.
Tensors unique(const Call& call) {
  const bool flat = !call.attributes().has("axis");
  HostTensor x = call.value(0);
  if (flat) x = x.reshaped({x.count()});
  const std::size_t axis = flat ? 0 : axisOf(call, 0, x.rank());
  const std::int64_t count = x.dim(axis), outer = numerics::elementCount(x.shape(), 0, axis),
                     inner = numerics::elementCount(x.shape(), axis + 1, x.rank());
  const std::vector<double> values = x.toDoubles();
  std::vector<std::vector<double>> slices(std::size_t(count), std::vector<double>{});
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t j = 0; j < inner; ++j) slices[std::size_t(i)].push_back(values[std::size_t((o * count + i) * inner + j)]);
  std::map<std::vector<double>, std::size_t> seen;
  std::vector<std::int64_t> first, counts, order;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto [at, isNew] = seen.emplace(slices[i], first.size());
    if (isNew) {
      first.push_back(std::int64_t(i));
      counts.push_back(0);
    }
    ++counts[at->second];
    which.push_back(at->second);
  }
  order.resize(first.size());
  std::iota(order.begin(), order.end(), 0);
  if (call.attributes().integer("sorted", 1))
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return slices[std::size_t(first[std::size_t(a)])] < slices[std::size_t(first[std::size_t(b)])];
    });
  std::vector<std::int64_t> place(order.size()), indices, inverse, howOften;
  for (std::size_t i = 0; i < order.size(); ++i) place[std::size_t(order[i])] = std::int64_t(i);
  for (const std::int64_t i : order) {
    indices.push_back(first[std::size_t(i)]);
    howOften.push_back(counts[std::size_t(i)]);
  }
  for (const std::size_t i : which) inverse.push_back(place[i]);
  return {numerics::gather(x, HostTensor::vector(indices), axis), HostTensor::vector(indices), HostTensor::vector(inverse),
          HostTensor::vector(howOften)};
}
// How many there are is only known from the values.
Types inferUnique(const Call& call) {
  Types types;
  for (const HostTensor& result : unique(call)) types.push_back({result.type(), result.shape()});
  return types;
}

constexpr Operator kSignalOperators[] = {
    {"HannWindow", inferWindow, window},
    {"HammingWindow", inferWindow, window},
    {"BlackmanWindow", inferWindow, window},
    {"DFT", inferDft, dft},
    {"STFT", inferStft, stft},
    {"Det", inferDeterminant, determinant},
    {"Unique", inferUnique, unique},
};

} // namespace

std::span<const Operator> signalOperators() { return kSignalOperators; }

} // namespace simcore::model

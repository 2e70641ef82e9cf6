#include "simcore/numerics/signal.h"

#include "simcore/numerics/fourier.h"
#include "simcore/numerics/kernel_support.h"

#include <cmath>

namespace simcore::numerics {

using Complex = std::complex<double>;

HostTensor cosineWindow(const CosineWindow& w, std::int64_t size) {
  HostTensor values = HostTensor::uninitialised(ElementType::Double, {size}); // throws if it does not fit the host's memory
  std::int64_t n = 0;
  for (double& value : values.mutableValues<double>()) {
    const double phase = 2 * M_PI * double(n++) / w.period(size);
    value = w.a0 - w.a1 * std::cos(phase) + w.a2 * std::cos(2 * phase);
  }
  return values;
}

HostTensor fourierAlong(const HostTensor& given, std::size_t axis, std::int64_t length, std::int64_t outputs, bool inverse) {
  const Shape& x = given.shape();
  Shape shape = x;
  shape[axis] = outputs;
  shape.back() = 2;
  const std::vector<double> in = given.toDoubles();
  const std::int64_t parts = x.back(), outer = elementCount(x, 0, axis), inner = elementCount(x, axis + 1, x.size() - 1),
                     samples = x[axis];
  std::vector<double> out(std::size_t(elementCount(shape)));
  std::vector<Complex> line(std::size_t(samples), Complex{});
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      for (std::int64_t n = 0; n < samples; ++n) {
        const auto at = std::size_t(((o * samples + n) * inner + i) * parts);
        line[std::size_t(n)] = {in[at], parts == 2 ? in[at + 1] : 0};
      }
      const auto result = fourier(line, std::size_t(length), std::size_t(outputs), inverse);
      for (std::int64_t k = 0; k < outputs; ++k) {
        const auto at = std::size_t(((o * outputs + k) * inner + i) * 2);
        out[at] = result[std::size_t(k)].real();
        out[at + 1] = result[std::size_t(k)].imag();
      }
    }
  return HostTensor::of(shape, out).cast(given.type());
}

HostTensor shortTimeFourier(const HostTensor& given, const HostTensor* window, const Frames& s) {
  const std::vector<double> x = given.toDoubles();
  const std::vector<double> factors = window ? window->toDoubles() : std::vector<double>(std::size_t(s.length), 1);
  const Shape shape{given.dim(0), s.frames, s.outputs, 2};
  std::vector<double> out;
  out.reserve(std::size_t(elementCount(shape)));
  std::vector<Complex> frame(std::size_t(s.length), Complex{});
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t f = 0; f < s.frames; ++f) {
      for (std::int64_t n = 0; n < s.length; ++n)
        frame[std::size_t(n)] = x[std::size_t(b * given.dim(1) + f * s.step + n)] * factors[std::size_t(n)];
      for (const Complex& v : fourier(frame, frame.size(), std::size_t(s.outputs), false))
        out.insert(out.end(), {v.real(), v.imag()});
    }
  return HostTensor::of(shape, out).cast(given.type());
}

HostTensor melWeights(std::int64_t bands, std::int64_t length, std::int64_t sampleRate, double lowest, double highest) {
  const auto mel = [](double frequency) { return 2595 * std::log10(1 + frequency / 700); };
  const double low = mel(lowest), step = (mel(highest) - low) / double(bands + 2);
  HostTensor weights(ElementType::Float, {length / 2 + 1, bands});
  const auto binOf = [&](std::int64_t edge) {
    const double frequency = 700 * (std::pow(10.0, (low + double(edge) * step) / 2595) - 1);
    const double bin = std::floor(double(length + 1) * frequency / double(sampleRate));
    if (!(bin >= 0 && bin < double(weights.dim(0))))
      failKernel("an edge of MelWeightMatrix is not between 0 and half the sample rate");
    return std::int64_t(bin);
  };
  const auto to = weights.mutableValues<float>();
  for (std::int64_t band = 0; band < bands; ++band) {
    const std::int64_t from = binOf(band), centre = binOf(band + 1), end = binOf(band + 2);
    const auto at = [&](std::int64_t bin) -> float& { return to[std::size_t(bin * bands + band)]; };
    if (from == centre) at(centre) = 1;
    for (std::int64_t bin = from; from < centre && bin <= centre; ++bin) at(bin) = float(bin - from) / float(centre - from);
    for (std::int64_t bin = centre; bin < end; ++bin) at(bin) = float(end - bin) / float(end - centre);
  }
  return weights;
}

} // namespace simcore::numerics

// Fourier transforms of signals, windows, and the weights of mel bands.
#include "simcore/model/operators/family.h"
#include "simcore/numerics/fourier.h"

#include <cmath>
#include <complex>

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

// Cosine sums: a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), after ONNX.
struct WindowParameters {
  double a0 = 1, a1 = 0, a2 = 0;
  ElementType type = ElementType::Float;
  bool periodic = true;
  // N for a window of so many values.
  double period(std::int64_t size) const { return double(periodic || size == 1 ? size : size - 1); }
};

WindowParameters windowParameters(const Call& call) {
  WindowParameters w;
  const std::string& type = call.node().opType;
  if (type == "HannWindow") w = {0.5, 0.5, 0};
  if (type == "HammingWindow") w = {25.0 / 46, 21.0 / 46, 0};
  if (type == "BlackmanWindow") w = {0.42, 0.5, 0.08};
  const std::int64_t code = call.attributes().integer("output_datatype", 1);
  switch (code) {
  case 1: w.type = ElementType::Float; break;
  case 10: w.type = ElementType::Half; break;
  case 11: w.type = ElementType::Double; break;
  default: throw Error(ErrorCode::Unsupported, "a window of the type number " + std::to_string(code) + " is not supported");
  }
  w.periodic = call.attributes().integer("periodic", 1) != 0;
  return w;
}

struct DftParameters {
  std::size_t axis = 1;
  std::int64_t length = 0, outputs = 0;
  bool inverse = false;
};

// A transform is a product by a matrix for each prime factor of its length: one of 8,192 x 8,192 complex numbers fills half of a
// machine's memory.
void requireFactors(std::int64_t length) {
  constexpr std::int64_t kMostPoints = std::int64_t(1) << 22, kLargestFactor = 8192;
  std::int64_t rest = length;
  for (std::int64_t factor = 2; length <= kMostPoints && factor <= kLargestFactor && rest > 1; ++factor)
    while (rest % factor == 0) rest /= factor;
  if (length > kMostPoints || rest > 1)
    throw Error(ErrorCode::Unsupported, "a Fourier transform of " + std::to_string(length) +
                                            " points is not supported: at most " + std::to_string(kMostPoints) +
                                            " with prime factors up to " + std::to_string(kLargestFactor));
}

DftParameters dftParameters(const Call& call) {
  const Shape& x = call.shape(0);
  if (x.size() < 2 || (x.back() != 1 && x.back() != 2))
    throw Error(ErrorCode::InvalidInput, "DFT needs real or complex numbers in the last dimension, not " + numerics::toString(x));
  DftParameters d;
  d.axis = call.opset() < 20 ? axisOf(call, 1, x.size())
                             : numerics::normaliseAxis(call.has(2) ? call.value(2).integerAt(0) : -2, x.size());
  d.inverse = call.attributes().integer("inverse", 0) != 0;
  d.length = call.has(1) ? call.value(1).integerAt(0) : x[d.axis];
  if (d.length < 1 || d.axis + 1 == x.size()) throw Error(ErrorCode::InvalidInput, "DFT of no signal");
  requireFactors(d.length);
  d.outputs = call.attributes().integer("onesided", 0) ? d.length / 2 + 1 : d.length;
  return d;
}

// Frames of a signal [batch, samples(, 1)], each times the window and transformed: [batch, frames, frequencies, 2].
struct StftParameters {
  std::int64_t step = 0, length = 0, frames = 0, outputs = 0;
};

StftParameters stftParameters(const Call& call) {
  const Shape& x = call.shape(0);
  if (x.size() < 2 || (x.size() == 3 && x[2] != 1))
    throw Error(ErrorCode::Unsupported, "STFT of a complex signal is not supported");
  StftParameters s;
  if (call.has(2) && call.shape(2).size() != 1)
    throw Error(ErrorCode::InvalidInput, "the window of STFT is not a vector but " + numerics::toString(call.shape(2)));
  s.step = call.value(1).integerAt(0);
  s.length = call.has(3) ? call.value(3).integerAt(0) : call.has(2) ? call.shape(2).at(0) : x[1];
  if (s.step < 1 || s.length < 1 || s.length > x[1])
    throw Error(ErrorCode::InvalidInput, "the frames of STFT do not fit its signal");
  if (call.has(2) && numerics::elementCount(call.shape(2)) != s.length)
    throw Error(ErrorCode::InvalidInput, "the window of STFT is not as long as a frame");
  requireFactors(s.length);
  s.frames = (x[1] - s.length) / s.step + 1;
  s.outputs = call.attributes().integer("onesided", 1) ? s.length / 2 + 1 : s.length;
  return s;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

Types inferWindow(const Call& call) { return {{windowParameters(call).type, {call.value(0).integerAt(0)}}}; }
Tensors window(const Call& call) {
  const WindowParameters w = windowParameters(call);
  const std::int64_t size = call.value(0).integerAt(0);
  HostTensor values = HostTensor::uninitialised(ElementType::Double, {size}); // refuses what does not fit this computer
  std::int64_t n = 0;
  for (double& value : values.mutableValues<double>()) {
    const double phase = 2 * M_PI * double(n++) / w.period(size);
    value = w.a0 - w.a1 * std::cos(phase) + w.a2 * std::cos(2 * phase);
  }
  return {values.cast(w.type)};
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

// Triangles of equal height on the mel scale, one a column: [frequencies, bands]. Frequencies after HTK: 2595 log10(1 + f / 700) mel.
struct MelParameters {
  std::int64_t bands = 0, length = 0, rate = 0;
};
MelParameters melParameters(const Call& call) {
  const MelParameters p{call.value(0).integerAt(0), call.value(1).integerAt(0), call.value(2).integerAt(0)};
  if (p.bands < 1 || p.length < 1 || p.rate < 1)
    refuseNode("MelWeightMatrix needs bands, a length and a sample rate of 1 or more");
  return p;
}
Types inferMelWeights(const Call& call) {
  const MelParameters p = melParameters(call);
  return {{elementTypeOf(call, call.attributes().integer("output_datatype", 1)), {p.length / 2 + 1, p.bands}}};
}
Tensors melWeights(const Call& call) {
  const MelParameters p = melParameters(call);
  const TensorType type = inferMelWeights(call)[0];
  const auto mel = [&](std::size_t i) { return 2595 * std::log10(1 + call.value(i).at(0) / 700); };
  const double low = mel(3), step = (mel(4) - low) / double(p.bands + 2);
  const auto binOf = [&](std::int64_t edge) {
    const double frequency = 700 * (std::pow(10.0, (low + double(edge) * step) / 2595) - 1);
    const double bin = std::floor(double(p.length + 1) * frequency / double(p.rate));
    if (!(bin >= 0 && bin < double(type.shape[0])))
      refuseNode("an edge of MelWeightMatrix is not between 0 and half the sample rate");
    return std::int64_t(bin);
  };
  HostTensor weights(ElementType::Float, type.shape);
  const auto to = weights.mutableValues<float>();
  for (std::int64_t band = 0; band < p.bands; ++band) {
    const std::int64_t from = binOf(band), centre = binOf(band + 1), end = binOf(band + 2);
    const auto at = [&](std::int64_t bin) -> float& { return to[std::size_t(bin * p.bands + band)]; };
    if (from == centre) at(centre) = 1;
    for (std::int64_t bin = from; from < centre && bin <= centre; ++bin) at(bin) = float(bin - from) / float(centre - from);
    for (std::int64_t bin = centre; bin < end; ++bin) at(bin) = float(end - bin) / float(end - centre);
  }
  return {weights.cast(type.type)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// A map over the positions; the second cosine of a Blackman window comes from the first: cos 2p = 2 cos^2 p - 1.
void lowerWindow(NodeLowering& n) {
  const WindowParameters w = windowParameters(n.call());
  const std::int64_t size = numerics::elementCount(n.outputShape());
  const ops::OpBuilder& b = n.builder();
  const Tensor positions = b.output(ElementType::Float, {size}, "positions", b.linear(size, ElementType::Float));
  ops::iota(b, positions, 0);
  std::vector<MapStep> steps{{BinaryOp::Multiply, ElementType::Float},
                             {UnaryOp::Cos, ElementType::Float},
                             {BinaryOp::Multiply, ElementType::Float},
                             {BinaryOp::Add, ElementType::Float}};
  if (w.a2 != 0)
    steps.insert(steps.begin() + 2, {{BinaryOp::Multiply, ElementType::Float}, {BinaryOp::Subtract, ElementType::Float}});
  if (n.outputType() != ElementType::Float) steps.push_back({codelets::CastTo{n.outputType()}, ElementType::Float});
  n.give(ops::map(b, "window", steps, {positions}, n.outputType(), n.outputShape(),
                  partKernel(n, [w, scale = 2 * M_PI / w.period(size), type = n.outputType()](const Tensors& in) {
                    std::vector<double> values;
                    for (std::int64_t i = 0; i < in[0].count(); ++i) {
                      const double c = std::cos(in[0].at(i) * scale);
                      values.push_back(w.a0 - w.a2 + c * (2 * w.a2 * c - w.a1));
                    }
                    return HostTensor::of(in[0].shape(), values).cast(type);
                  })));
}

// x with its transformed dimension last but the parts: [transforms, samples, parts].
void lowerDft(NodeLowering& n) {
  const DftParameters d = dftParameters(n.call());
  const Tensor x = n.input(0);
  const std::int64_t outer = numerics::elementCount(x.shape(), 0, d.axis),
                     inner = numerics::elementCount(x.shape(), d.axis + 1, x.rank() - 1);
  ops::FourierParams p;
  p.type = x.elementType();
  p.rows = outer * inner;
  p.samples = x.dim(d.axis);
  p.parts = x.shape().back();
  p.length = d.length;
  p.outputs = d.outputs;
  p.inverse = d.inverse;
  const Tensor signals = x.reshape({outer, p.samples, inner, p.parts});
  const Tensor rows = inner == 1 ? signals : ops::transpose(n.builder(), signals, {0, 2, 1, 3});
  const Tensor y = ops::fourier(n.builder(), rows.reshape({p.rows, p.samples, p.parts}), p);
  if (inner == 1) return n.give(gathered(n, y.reshape(n.outputShape())));
  n.give(ops::transpose(n.builder(), y.reshape({outer, inner, p.outputs, 2}), {0, 2, 1, 3}));
}

void lowerStft(NodeLowering& n) {
  const StftParameters s = stftParameters(n.call());
  const Tensor x = n.input(0);
  const std::int64_t batch = x.dim(0), samples = x.dim(1);
  const Shape shape{batch * s.frames, s.length};
  Tensor frames = x.reshape({batch, samples});
  if (s.frames > 1 || s.length < samples)
    frames = ops::move(
        n.builder(), "frames", {frames}, x.elementType(), shape, s.length, {partKernel(n, [s, shape, samples](const Tensors& in) {
          HostTensor out = HostTensor::uninitialised(in[0].type(), shape);
          const auto from = in[0].values<std::int64_t>();
          const auto to = out.mutableValues<std::int64_t>();
          for (std::int64_t i = 0; i < out.count(); ++i) {
            const std::int64_t frame = i / s.length, first = frame / s.frames * samples + frame % s.frames * s.step;
            to[std::size_t(i)] = from[std::size_t(first + i % s.length)];
          }
          return out;
        })});
  if (n.has(2)) frames = ops::binary(n.builder(), BinaryOp::Multiply, frames, n.input(2).reshape({s.length}));
  ops::FourierParams p;
  p.type = x.elementType();
  p.rows = shape[0];
  p.samples = p.length = s.length;
  p.parts = 1;
  p.outputs = s.outputs;
  n.give(gathered(n, ops::fourier(n.builder(), frames.reshape({p.rows, p.samples, 1}), p)));
}

constexpr Operator kSignalOperators[] = {
    {"BlackmanWindow", 17, inferWindow, window, lowerWindow},
    {"DFT", 17, inferDft, dft, lowerDft},
    {"HammingWindow", 17, inferWindow, window, lowerWindow},
    {"HannWindow", 17, inferWindow, window, lowerWindow},
    {"MelWeightMatrix", 17, inferMelWeights, melWeights, nullptr, nullptr},
    {"STFT", 17, inferStft, stft, lowerStft},
};

} // namespace

std::span<const Operator> signalOperators() { return kSignalOperators; }

} // namespace simcore::model

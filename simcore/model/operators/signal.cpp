// Fourier transforms of signals, windows, and the weights of mel bands.
#include "simcore/numerics/signal.h"
#include "simcore/model/operators/family.h"

#include <fmt/format.h>

#include <cmath>

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

struct WindowParameters {
  numerics::CosineWindow window;
  ElementType type = ElementType::Float;
};
WindowParameters windowParameters(const Call& call) {
  const std::string& type = call.node().opType;
  WindowParameters w;
  if (type == "HannWindow") w.window = {0.5, 0.5, 0};
  if (type == "HammingWindow") w.window = {25.0 / 46, 21.0 / 46, 0};
  if (type == "BlackmanWindow") w.window = {0.42, 0.5, 0.08};
  w.window.periodic = call.attributes().integer("periodic", 1) != 0;
  const std::int64_t code = call.attributes().integer("output_datatype", 1);
  const auto known = elementTypeOfOnnx(code);
  if (!known || !numerics::isFloating(*known) || *known == ElementType::BFloat16 || numerics::isFloat8(*known))
    throw Error(ErrorCode::Unsupported, fmt::format("a window of the type number {} is not supported", code));
  w.type = *known;
  return w;
}

struct DftParameters {
  std::size_t axis = 1;
  std::int64_t length = 0, outputs = 0;
  bool inverse = false;
};

// A transform is a product with a matrix for each prime factor of its length: 8,192 x 8,192 complex numbers fill half of a machine.
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
    refuseNode("DFT needs real or complex numbers in the last dimension, not " + numerics::toString(x));
  DftParameters d;
  d.axis = call.opset() < 20 ? axisOf(call, 1, x.size())
                             : numerics::normaliseAxis(call.has(2) ? call.value(2).integerAt(0) : -2, x.size());
  d.inverse = call.attributes().integer("inverse", 0) != 0;
  d.length = call.has(1) ? call.value(1).integerAt(0) : x[d.axis];
  if (d.length < 1) refuseNode(fmt::format("DFT needs at least one point, not {}", d.length));
  if (d.axis + 1 == x.size()) refuseNode("DFT cannot transform the last dimension, which holds the parts of the complex numbers");
  requireFactors(d.length);
  d.outputs = call.attributes().integer("onesided", 0) ? d.length / 2 + 1 : d.length;
  return d;
}

numerics::Frames frameParameters(const Call& call) {
  const Shape& x = call.shape(0);
  if (x.size() < 2) refuseNode("the signal of STFT needs the shape [batch, length], not " + numerics::toString(x));
  if (x.size() == 3 && x[2] != 1) throw Error(ErrorCode::Unsupported, "STFT of a complex signal is not supported");
  numerics::Frames s;
  if (call.has(2) && call.shape(2).size() != 1)
    refuseNode("the window of STFT is not a vector but " + numerics::toString(call.shape(2)));
  s.step = call.value(1).integerAt(0);
  s.length = call.has(3) ? call.value(3).integerAt(0) : call.has(2) ? call.shape(2).at(0) : x[1];
  if (s.step < 1 || s.length < 1 || s.length > x[1])
    refuseNode(fmt::format("STFT needs a frame step of at least 1 and a frame length of 1 to {}, not step {} and length {}", x[1],
                           s.step, s.length));
  if (call.has(2)) requireCount("the window of STFT", std::size_t(call.shape(2)[0]), std::size_t(s.length));
  requireFactors(s.length);
  s.frames = (x[1] - s.length) / s.step + 1;
  s.outputs = call.attributes().integer("onesided", 1) ? s.length / 2 + 1 : s.length;
  return s;
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

Types inferWindow(const Call& call) { return {{windowParameters(call).type, {call.value(0).integerAt(0)}}}; }
Tensors window(const Call& call) {
  const WindowParameters w = windowParameters(call);
  return {numerics::cosineWindow(w.window, call.value(0).integerAt(0)).cast(w.type)};
}

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
  return {numerics::fourierAlong(call.value(0), d.axis, d.length, d.outputs, d.inverse)};
}

Types inferStft(const Call& call) {
  const numerics::Frames s = frameParameters(call);
  return {{call.elementType(0), {call.shape(0)[0], s.frames, s.outputs, 2}}};
}
Tensors stft(const Call& call) { return {numerics::shortTimeFourier(call.value(0), call.optional(2), frameParameters(call))}; }

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
  return {numerics::melWeights(p.bands, p.length, p.rate, call.value(3).at(0), call.value(4).at(0))
              .cast(inferMelWeights(call)[0].type)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// A map over the positions; the second cosine of a Blackman window comes from the first: cos 2p = 2 cos^2 p - 1.
void lowerWindow(NodeLowering& n) {
  const WindowParameters p = windowParameters(n.call());
  const numerics::CosineWindow& w = p.window;
  const std::int64_t size = numerics::elementCount(n.outputShape());
  const ops::OpBuilder& b = n.builder();
  const Tensor positions = b.output(ElementType::Float, {size}, "positions", b.linear(size, ElementType::Float));
  ops::iota(b, positions, 0);
  auto steps = ops::mapSteps(ElementType::Float, {BinaryOp::Multiply, UnaryOp::Cos, BinaryOp::Multiply, BinaryOp::Add});
  if (w.a2 != 0)
    steps.insert(steps.begin() + 2, {{BinaryOp::Multiply, ElementType::Float}, {BinaryOp::Subtract, ElementType::Float}});
  if (n.outputType() != ElementType::Float) steps.push_back({codelets::CastTo{n.outputType()}, ElementType::Float});
  const auto valueAt = [w, scale = 2 * M_PI / w.period(size)](const auto& position) {
    const double c = std::cos(position(0) * scale);
    return w.a0 - w.a2 + c * (2 * w.a2 * c - w.a1);
  };
  n.give(ops::map(b, "window", steps, {positions}, n.outputType(), n.outputShape(), partKernel(n, ops::eachElement(valueAt))));
}

// x with its transformed dimension last, except for the parts: [transforms, samples, parts].
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
  const numerics::Frames s = frameParameters(n.call());
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

// ---- gradient --------------------------------------------------------------------------------------------------------------

// Cuts or pads with zeros to `size` elements along an axis.
std::string resizedAlong(GraphBuilder& g, const std::string& x, std::size_t axis, std::int64_t size) {
  const Shape shape = g.shape(x);
  if (shape[axis] == size) return x;
  std::vector<std::int64_t> pads(2 * shape.size(), 0);
  pads[shape.size() + axis] = size - shape[axis];
  return g.add("Pad", {x, g.integers(pads)});
}

// The gradient of a transform is the conjugate transform (the inverse without its factor, or vice versa); a real signal has no
// imaginary part.
void dftBack(const GradientCall& c) {
  const DftParameters d = dftParameters(c.call());
  const Shape& x = c.call().shape(0);
  GraphBuilder& g = c.graph();
  const std::string dy = resizedAlong(g, c.gradient(), d.axis, d.length),
                    turned =
                        g.add("DFT", {dy}, attributes({{"axis", std::int64_t(d.axis)}, {"inverse", std::int64_t(!d.inverse)}}));
  const std::string all = g.scaled(turned, d.inverse ? 1 / double(d.length) : double(d.length));
  c.give(0, resizedAlong(g, resizedAlong(g, all, d.axis, x[d.axis]), x.size() - 1, x.back()));
}

// The gradient of looking up frames, multiplying them by the window and transforming them.
void stftBack(const GradientCall& c) {
  const numerics::Frames s = frameParameters(c.call());
  const std::int64_t batch = c.call().shape(0)[0], samples = c.call().shape(0)[1];
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < s.frames * s.length; ++i) places.push_back(i / s.length * s.step + i % s.length);
  GraphBuilder& g = c.graph();
  c.through([&] {
    const std::string at = g.constant("frames", HostTensor::of({s.frames, s.length}, places));
    std::string frames = g.add("Gather", {g.reshape(c.input(0), {batch, samples}), at}, attributes({{"axis", std::int64_t(1)}}));
    if (c.call().has(2)) frames = g.add("Mul", {frames, c.input(2)});
    return std::vector{g.add("DFT", {g.reshape(frames, {batch, s.frames, s.length, 1})},
                             attributes({{"axis", std::int64_t(2)}, {"onesided", std::int64_t(s.outputs < s.length)}}))};
  });
}

constexpr Operator kSignalOperators[] = {
    {"BlackmanWindow", 17, inferWindow, window, lowerWindow},
    {"DFT", 17, inferDft, dft, lowerDft, dftBack},
    {"HammingWindow", 17, inferWindow, window, lowerWindow},
    {"HannWindow", 17, inferWindow, window, lowerWindow},
    {"MelWeightMatrix", 17, inferMelWeights, melWeights, nullptr, nullptr},
    {"STFT", 17, inferStft, stft, lowerStft, stftBack},
};

} // namespace

std::span<const Operator> signalOperators() { return kSignalOperators; }

} // namespace simcore::model

// Signals and what is rare: windows, Fourier transforms of whole dimensions and of frames, determinants, the different values
// of a tensor.
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/operators/signal_parameters.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/elementwise.h"

#include <cmath>

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;

namespace {

// A map over the positions; the second cosine of a Blackman window comes from the first: cos 2p = 2 cos^2 p - 1.
void lowerWindow(NodeLowering& n) {
  const WindowParameters w = windowParameters(n.call());
  const std::int64_t size = numerics::elementCount(n.outputShape());
  const ops::OpBuilder& b = n.parts();
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
                  partKernel(n, [w, scale = 2 * M_PI / w.period(size), type = n.outputType()](const std::vector<HostTensor>& in) {
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
  const Tensor rows = inner == 1 ? signals : ops::transpose(n.parts(), signals, {0, 2, 1, 3});
  const Tensor y = ops::fourier(n.parts(), rows.reshape({p.rows, p.samples, p.parts}), p);
  if (inner == 1) return n.give(gathered(n, y.reshape(n.outputShape())));
  n.give(ops::transpose(n.parts(), y.reshape({outer, inner, p.outputs, 2}), {0, 2, 1, 3}));
}

void lowerStft(NodeLowering& n) {
  const StftParameters s = stftParameters(n.call());
  const Tensor x = n.input(0);
  const std::int64_t batch = x.dim(0), samples = x.dim(1);
  const Shape shape{batch * s.frames, s.length};
  Tensor frames = x.reshape({batch, samples});
  if (s.frames > 1 || s.length < samples)
    frames = ops::move(n.parts(), "frames", {frames}, x.elementType(), shape, s.length,
                       {partKernel(n, [s, shape, samples](const std::vector<HostTensor>& in) {
                         HostTensor out = HostTensor::uninitialised(in[0].type(), shape);
                         const auto from = in[0].values<std::int64_t>();
                         const auto to = out.mutableValues<std::int64_t>();
                         for (std::int64_t i = 0; i < out.count(); ++i) {
                           const std::int64_t frame = i / s.length,
                                              first = frame / s.frames * samples + frame % s.frames * s.step;
                           to[std::size_t(i)] = from[std::size_t(first + i % s.length)];
                         }
                         return out;
                       })});
  if (n.has(2)) frames = ops::binary(n.parts(), BinaryOp::Multiply, frames, n.input(2).reshape({s.length}));
  ops::FourierParams p;
  p.type = x.elementType();
  p.rows = shape[0];
  p.samples = p.length = s.length;
  p.parts = 1;
  p.outputs = s.outputs;
  n.give(gathered(n, ops::fourier(n.parts(), frames.reshape({p.rows, p.samples, 1}), p)));
}

void lowerDeterminant(NodeLowering& n) {
  const Tensor x = n.input(0);
  n.give(ops::determinant(n.parts(), x));
}

// Slices along the axis, or elements, are the rows.
void lowerUnique(NodeLowering& n) {
  const Call& call = n.call();
  const bool flat = !call.attributes().has("axis");
  Tensor x = n.input(0);
  const std::size_t axis = flat ? 0 : axisOf(call, 0, x.rank());
  if (flat) x = x.flatten();
  std::vector<std::size_t> order{axis}, back(x.rank());
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (d != axis) order.push_back(d);
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  ops::UniqueParams p;
  p.sorted = call.attributes().integer("sorted", 1) != 0;
  p.values = call.wantsOutput(0);
  p.first = call.wantsOutput(1);
  p.inverse = call.wantsOutput(2);
  p.counts = call.wantsOutput(3);
  const std::int64_t rows = x.dim(axis);
  p.distinct = p.values ? n.outputShape(0)[axis] : p.first ? n.outputShape(1)[0] : p.counts ? n.outputShape(3)[0] : rows;
  const ops::UniqueResult result = ops::unique(n.parts(), x.dimShuffle(order).reshape({rows, x.numElements() / rows}), p);
  if (p.values) {
    Shape shape{p.distinct};
    for (std::size_t i = 1; i < order.size(); ++i) shape.push_back(x.dim(order[i]));
    const Tensor values = result.values.reshape(shape);
    n.give(axis == 0 ? values : ops::transpose(n.parts(), values, back), 0);
  }
  if (p.first) n.give(result.first, 1);
  if (p.inverse) n.give(result.inverse, 2);
  if (p.counts) n.give(result.counts, 3);
}

constexpr LoweringEntry kSignalLowerings[] = {
    {"HannWindow", lowerWindow}, {"HammingWindow", lowerWindow}, {"BlackmanWindow", lowerWindow}, {"DFT", lowerDft},
    {"STFT", lowerStft},         {"Det", lowerDeterminant},      {"Unique", lowerUnique},
};

} // namespace

std::span<const LoweringEntry> signalLowerings() { return kSignalLowerings; }

} // namespace simcore::model

#include "simcore/ops/reduce.h"

#include "reports/core/error.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/numerics/reduce.h"
#include "simcore/ops/cellwise.h"
#include "simcore/ops/elementwise.h"

#include <algorithm>
#include <cmath>

namespace simcore::ops {

using codelets::ReduceOp;
using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;

namespace {

// How a reduction falls on the tiles of its input.
struct ReduceSplit {
  int64_t outputs = 1; // in all
  int64_t partialsPerOutput = 1;
  int64_t ways = 1;                            // tiles that share one output
  int64_t localOutputs = 1, localPartials = 1; // on the fullest tile
  bool outputsInnermost = false;
};

ReduceSplit splitOf(const Distribution& layout, const Shape& shape, const std::vector<std::size_t>& axes) {
  ReduceSplit s;
  auto reduced = [&](std::size_t d) { return std::find(axes.begin(), axes.end(), d) != axes.end(); };
  for (std::size_t d = 0; d < shape.size(); ++d) (reduced(d) ? s.partialsPerOutput : s.outputs) *= shape[d];
  s.outputsInnermost = !shape.empty() && !reduced(shape.size() - 1);
  if (layout.shape() == shape) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const int64_t part = ceilDiv(shape[d], layout.splits()[d]);
      if (reduced(d)) {
        s.ways *= layout.splits()[d];
        s.localPartials *= part;
      } else {
        s.localOutputs *= part;
      }
    }
    return s;
  }
  // A linear share is a stretch of rows: if the reduced axes are the inner ones, rows per tile or tiles per row decide.
  const int64_t share = std::max<int64_t>(1, layout.maxElements());
  if (!s.outputsInnermost) {
    s.localPartials = std::min(s.partialsPerOutput, share);
    s.localOutputs = std::max<int64_t>(1, share / s.partialsPerOutput);
    s.ways = ceilDiv(s.partialsPerOutput, share);
  } else {
    s.localOutputs = std::min(s.outputs, share);
    s.localPartials = std::max<int64_t>(1, share / s.outputs);
    s.ways = std::min(layout.cells(), ceilDiv(s.partialsPerOutput, s.localPartials));
  }
  return s;
}

class ReduceLowering {
public:
  ReduceLowering(const OpBuilder& b, ReduceOp op, ElementType type) : m_b(b) {
    m_types.op = op;
    m_types.partials = type;
    m_types.output = type;
  }

  Tensor run(const Tensor& x, const std::vector<std::size_t>& axes, const Shape& outShape) {
    const Distribution layout = m_b.layoutOf(x);
    ReduceSplit s = splitOf(layout, x.shape(), axes);
    if (s.ways <= 1) { // all partials of an output are on one tile
      const Tensor out =
          m_b.output(x.elementType(), outShape, "out",
                     Distribution({s.outputs}, {std::min(s.outputs, layout.cells())}, {1}, layout.firstTile(), m_b.tileRange()));
      stage("Reduce", {x}, out, layout.elementsByTile(), s.localOutputs, s.localPartials, s.outputsInnermost);
      return out;
    }
    const Tensor partials = partialStage(x, layout, s);
    Tensor from = partials;
    int64_t ways = s.ways;
    // Another stage while the fan-in is large (programming-model 2.2: below 2 sqrt(tiles) goes straight to the output).
    if (double(ways) > 2.0 * std::sqrt(double(m_b.tiles()))) {
      const int64_t group = std::max<int64_t>(2, int64_t(std::sqrt(double(ways))));
      const int64_t next = ceilDiv(ways, group);
      const Tensor middle =
          m_b.output(x.elementType(), {s.outputs * next}, "intermediate", m_b.linear(s.outputs * next, x.elementType()));
      gatherStage("ReduceIntermediate", from, middle, group);
      from = middle;
      ways = next;
    }
    const Tensor out = m_b.output(x.elementType(), outShape, "out", m_b.linear(s.outputs, x.elementType()));
    gatherStage("ReduceOutput", from, out, ways);
    return out;
  }

private:
  Tensor partialStage(const Tensor& x, const Distribution& layout, const ReduceSplit& s) {
    PerTile bytes;
    const PerTile held = layout.elementsByTile();
    for (const auto& r : held.runs()) bytes.add(r.tiles, std::min(s.localOutputs, r.value) * elementBytes(x));
    if (s.localPartials == 1) return x; // every element is already a partial
    const Tensor partials = m_b.buffer(x.elementType(), "partials", bytes, MemoryCategory::Variable);
    stage("ReducePartials", {x}, partials, held, s.localOutputs, s.localPartials, s.outputsInnermost);
    return partials;
  }

  // `elements` on each tile reduced to at most `outputs` of `partials` each.
  void stage(const std::string& name, const std::vector<Tensor>& reads, const Tensor& out, const PerTile& elements,
             int64_t outputs, int64_t partials, bool outputsInnermost) {
    Superstep step(m_b, name);
    for (const auto& r : elements.runs()) {
      const int64_t outs = std::min(outputs, std::max<int64_t>(1, ceilDiv(r.value, std::max<int64_t>(1, partials))));
      workers(step, r.tiles, outs, ceilDiv(r.value, outs), outputsInnermost);
    }
    step.execute(reads, {out});
  }

  // Up to six worker vertices a tile share the outputs; a single output is shared by splitting its partials instead.
  void workers(Superstep& step, TileRange tiles, int64_t outputs, int64_t partials, bool outputsInnermost) {
    const int64_t used = std::min<int64_t>(m_b.tile().workers, outputs);
    step.add(codelets::reduceBestSpec(m_types, ceilDiv(outputs, used), outputsInnermost),
             codelets::reduceBest(m_b.tile(), m_types, ceilDiv(outputs, used), partials, outputsInnermost), tiles, used);
  }

  void gatherStage(const std::string& name, const Tensor& from, const Tensor& out, int64_t ways) {
    const int64_t size = elementBytes(from);
    Traffic t;
    PerTile received;
    const PerTile outputs = m_b.layoutOf(out).elementsByTile();
    int64_t total = 0;
    for (const auto& r : outputs.runs()) {
      const int64_t in = reports::roundUp(r.value * ways * size, 4);
      received.add(r.tiles, in);
      t.bytesIn.add(r.tiles, in);
      t.messagesIn.add(r.tiles, ways);
      total += in * r.tiles.size();
    }
    const PerTile senders = m_b.graph().variable(from.variables()[0]).bytesByTile(m_b.graph().tiles());
    const int64_t n = std::max<int64_t>(1, senders.activeTiles());
    for (const auto& r : senders.runs()) {
      t.bytesOut.add(r.tiles, reports::roundUp(ceilDiv(total, n), 4));
      t.messagesOut.add(r.tiles, std::max<int64_t>(1, outputs.activeTiles() * ways / n));
    }
    const Tensor gathered = m_b.buffer(from.elementType(), name + "In", received, MemoryCategory::Message);
    m_b.exchange(name + "Gather", {from}, {gathered}, t);
    Superstep step(m_b, name);
    for (const auto& r : outputs.runs()) workers(step, r.tiles, r.value, ways, true);
    step.execute({gathered}, {out});
  }

  const OpBuilder& m_b;
  codelets::ReduceTypes m_types;
};

numerics::ReduceKind kindOf(ReduceOp op) {
  switch (op) {
  case ReduceOp::Add: return numerics::ReduceKind::Sum;
  case ReduceOp::Maximum: return numerics::ReduceKind::Max;
  case ReduceOp::Minimum: return numerics::ReduceKind::Min;
  case ReduceOp::Multiply: return numerics::ReduceKind::Prod;
  case ReduceOp::SquareAdd: return numerics::ReduceKind::SumSquare;
  case ReduceOp::LogAdd: return numerics::ReduceKind::LogSumExp;
  default:
    throw reports::Error(reports::ErrorCode::Unsupported, "this reduction has no numbers of its own", codelets::reduceOpName(op),
                         "give a kernel");
  }
}

} // namespace

Tensor reduce(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes, ReduceOp op, bool keepDims,
              HostKernel kernel) {
  const OpBuilder b = builder.within("reduce", "reduce");
  const Tensor out = ReduceLowering(b, op, x.elementType()).run(x, axes, numerics::reducedShape(x.shape(), axes, keepDims));
  if (!kernel && b.withNumbers())
    kernel = [kind = kindOf(op), axes, keepDims](const std::vector<HostTensor>& in) {
      return std::vector<HostTensor>{numerics::reduce(kind, in[0], axes, keepDims)};
    };
  if (kernel && b.graph().vertexByVertex() && op != ReduceOp::LogAdd)
    kernel = cellwiseReduce(kindOf(op), b.layoutOf(x), x.shape(), axes, keepDims);
  if (kernel) b.compute({x}, {out}, std::move(kernel));
  return out;
}

Tensor softmax(const OpBuilder& builder, const Tensor& x, std::size_t axis, bool logarithm, HostKernel kernel) {
  const OpBuilder b = builder.within(logarithm ? "logSoftmax" : "softmax", "softmax");
  // Vertex by vertex the numbers are those of the parts, else one kernel.
  const bool parts = b.withNumbers() && b.graph().vertexByVertex();
  const OpBuilder t = parts ? b : b.timeOnly();
  using codelets::BinaryOp;
  using codelets::UnaryOp;
  const Tensor largest = reduce(t, x, {axis}, ReduceOp::Maximum, true);
  const Tensor shifted = binary(t, BinaryOp::Subtract, x, largest);
  const Tensor exponent = unary(t, UnaryOp::Exp, shifted);
  const Tensor sum = reduce(t, exponent, {axis}, ReduceOp::Add, true);
  Tensor out;
  if (logarithm) {
    out = binary(t, BinaryOp::Subtract, shifted, unary(t, UnaryOp::Log, sum));
  } else {
    out = binary(t, BinaryOp::Multiply, exponent, unary(t, UnaryOp::Inverse, sum));
  }
  if (parts) return out;
  if (!kernel && b.withNumbers())
    kernel = [axis, logarithm](const std::vector<HostTensor>& in) {
      return std::vector<HostTensor>{logarithm ? numerics::logSoftmax(in[0], axis) : numerics::softmax(in[0], axis)};
    };
  if (kernel) b.compute({x}, {out}, std::move(kernel));
  return out;
}

Tensor normalise(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes,
                 const std::vector<Tensor>& parameters, HostKernel kernel) {
  const OpBuilder b = builder.within("norm", "norm");
  const OpBuilder t = b.timeOnly();
  using codelets::BinaryOp;
  const ElementType type = x.elementType();
  const Tensor mean = reduce(t, x, axes, ReduceOp::Add, true);
  const Tensor power = reduce(t, x, axes, ReduceOp::SquareAdd, true);
  const Tensor inverseStdDev =
      map(t, "invStdDev", {{BinaryOp::Multiply, type}, {BinaryOp::Subtract, type}, {BinaryOp::VarianceToInvStdDev, type}},
          {power, mean}, type, power.shape());
  std::vector<Tensor> inputs{x, mean, inverseStdDev};
  std::vector<codelets::MapStep> steps{{BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    inputs.push_back(parameters[i]);
    steps.push_back({i == 0 ? BinaryOp::Multiply : BinaryOp::Add, type});
  }
  const Tensor out = map(t, "whiten", steps, inputs, type, x.shape());
  if (kernel) {
    std::vector<Tensor> all{x};
    all.insert(all.end(), parameters.begin(), parameters.end());
    b.compute(all, {out}, std::move(kernel));
  }
  return out;
}

Tensor groupNorm(const OpBuilder& builder, const Tensor& x, const Tensor& gamma, const Tensor& beta, int64_t groups,
                 float epsilon) {
  // Seen as [N, groups, rest] the statistics are over the last axis.
  const Tensor grouped = x.reshape({x.dim(0), groups, x.numElements() / (x.dim(0) * groups)});
  HostKernel kernel;
  const Shape shape = x.shape();
  if (builder.withNumbers())
    kernel = [shape, groups, epsilon](const std::vector<HostTensor>& in) {
      return std::vector<HostTensor>{numerics::groupNorm(in[0].reshaped(shape), in[1], in[2], groups, epsilon)};
    };
  return normalise(builder, grouped, {2}, {gamma, beta}, std::move(kernel)).reshape(shape);
}

} // namespace simcore::ops

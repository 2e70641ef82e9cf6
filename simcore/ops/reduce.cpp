#include "simcore/ops/reduce.h"

#include "reports/core/error.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/numerics/reduce.h"
#include "simcore/ops/cellwise.h"
#include "simcore/ops/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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
  ReduceLowering(const OpBuilder& b, ReduceOp op, ElementType type, ElementType output) : m_b(b) {
    m_types.op = op;
    m_types.partials = type;
    m_types.output = output;
  }
  // Partials that are combined at once in the stage between; 1: there is none.
  int64_t group() const { return m_group; }

  Tensor run(const Tensor& x, const std::vector<std::size_t>& axes, const Shape& outShape) {
    const Distribution layout = m_b.layoutOf(x);
    ReduceSplit s = splitOf(layout, x.shape(), axes);
    if (s.ways <= 1) { // all partials of an output are on one tile
      const Tensor out =
          m_b.output(m_types.output, outShape, "out",
                     Distribution({s.outputs}, {std::min(s.outputs, layout.cells())}, {1}, layout.firstTile(), layout.tiles()));
      stage("Reduce", {x}, out, layout.elementsByTile(), s.localOutputs, s.localPartials, s.outputsInnermost);
      record(s, 1);
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
          m_b.output(m_types.output, {s.outputs * next}, "intermediate", m_b.linear(s.outputs * next, m_types.output));
      gatherStage("ReduceIntermediate", from, middle, group);
      from = middle;
      ways = next;
      m_group = group;
    }
    const Tensor out = m_b.output(m_types.output, outShape, "out", m_b.linear(s.outputs, m_types.output));
    gatherStage("ReduceOutput", from, out, ways);
    record(s, m_group > 1 ? 3 : 2);
    return out;
  }

private:
  void record(const ReduceSplit& s, int stages) const {
    m_b.recordPlan(fmt::format("{} stage{}", stages, stages > 1 ? "s" : ""),
                   fmt::format("{} outputs of {} partials, each output on {} tiles{}", s.outputs, s.partialsPerOutput, s.ways,
                               m_group > 1 ? fmt::format(", then {} at a time", m_group) : ""),
                   fmt::format(R"({{"outputs":{},"partials_per_output":{},"ways":{},"group":{}}})", s.outputs,
                               s.partialsPerOutput, s.ways, m_group),
                   m_cycles, 0);
  }

  Tensor partialStage(const Tensor& x, const Distribution& layout, const ReduceSplit& s) {
    PerTile bytes;
    const PerTile held = layout.elementsByTile();
    for (const auto& r : held.runs()) bytes.add(r.tiles, std::min(s.localOutputs, r.value) * elementBytes(m_types.output));
    if (s.localPartials == 1) return x; // every element is already a partial
    const Tensor partials = m_b.buffer(m_types.output, "partials", bytes, MemoryCategory::Variable);
    stage("ReducePartials", {x}, partials, held, s.localOutputs, s.localPartials, s.outputsInnermost);
    // What was squared once is only added from now on.
    m_types.partials = m_types.output;
    if (m_types.op == ReduceOp::SquareAdd) m_types.op = ReduceOp::Add;
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
    m_cycles += std::exchange(m_slowest, 0);
  }

  // Up to six worker vertices a tile share the outputs; a single output is shared by splitting its partials instead.
  void workers(Superstep& step, TileRange tiles, int64_t outputs, int64_t partials, bool outputsInnermost) {
    const int64_t used = std::min<int64_t>(m_b.tile().workers, outputs);
    const auto cost = codelets::reduceBest(m_b.tile(), m_types, ceilDiv(outputs, used), partials, outputsInnermost);
    m_slowest = std::max(m_slowest, cost.cycles.value() * m_b.tile().workers);
    step.add(codelets::reduceBestSpec(m_types, ceilDiv(outputs, used), outputsInnermost), cost, tiles, used);
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
    const PerTile senders = m_b.graph().variable(from.variables()[0]).bytesByTile(m_b.graph().machine().tiles());
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
    const auto& exchange = m_b.machine().exchange;
    m_cycles += std::exchange(m_slowest, 0) + int64_t(double(received.max()) / exchange.bytesPerCycle) +
                exchange.baseLatency.value() + exchange.internalSync.value();
  }

  const OpBuilder& m_b;
  codelets::ReduceTypes m_types;
  int64_t m_group = 1, m_cycles = 0, m_slowest = 0;
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

Tensor reduce(const OpBuilder& builder, const Tensor& operand, const std::vector<std::size_t>& axes, ReduceOp op, bool keepDims,
              HostKernel kernel, std::optional<ElementType> as) {
  const OpBuilder b = builder.within("reduce", "reduce");
  const Tensor x = b.local(operand);
  ReduceLowering lowering(b, op, x.elementType(), as.value_or(x.elementType()));
  const Tensor out = lowering.run(x, axes, numerics::reducedShape(x.shape(), axes, keepDims));
  if (b.byCells() && x.numElements() > 0)
    kernel = cellwiseReduce(kindOf(op), b.layoutOf(x), x.shape(), axes, keepDims, lowering.group());
  else if (!kernel && b.withNumbers())
    kernel = oneResult([kind = kindOf(op), axes, keepDims](const std::vector<HostTensor>& in) {
      return numerics::reduce(kind, in[0], axes, keepDims);
    });
  if (kernel) b.compute({x}, {out}, std::move(kernel));
  return out;
}

Tensor softmax(const OpBuilder& builder, const Tensor& operand, std::size_t axis, bool logarithm, HostKernel kernel) {
  const OpBuilder b = builder.within(logarithm ? "logSoftmax" : "softmax", "softmax");
  const Tensor x = b.local(operand);
  // Vertex by vertex the numbers are those of the parts, else one kernel.
  const bool parts = b.byCells();
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

namespace {

HostTensor scaled(const HostTensor& x, double factor) {
  return numerics::binary(numerics::BinaryKind::Mul, x, HostTensor::full(x.type(), {}, factor));
}

// Sums and sums of squares to 1 / sqrt(variance + epsilon).
HostKernel inverseDeviation(double count, double epsilon) {
  return oneResult([count, epsilon](const std::vector<HostTensor>& in) {
    std::vector<double> out;
    for (int64_t i = 0; i < in[0].count(); ++i) {
      const double mean = in[1].at(i) / count;
      out.push_back(1 / std::sqrt(std::max(0.0, in[0].at(i) / count - mean * mean) + epsilon));
    }
    return HostTensor::of(in[0].shape(), out).cast(in[0].type());
  });
}

} // namespace

Whitened whiten(const OpBuilder& builder, const Tensor& operand, const std::vector<std::size_t>& axes,
                const std::vector<Tensor>& parameters, double epsilon) {
  using codelets::BinaryOp;
  const OpBuilder& t = builder;
  const Tensor x = t.local(operand);
  const ElementType type = x.elementType();
  // popnn's standard: float. A small variance is the difference of two large sums, which lose it in float; vertex by vertex the
  // host keeps what is float on the machine in full, as the kernels of the fast path do.
  const ElementType statistics = t.byCells() ? ElementType::Double : type == ElementType::Half ? ElementType::Float : type;
  double count = 1;
  for (const std::size_t a : axes) count *= double(x.dim(a));
  const auto ifNumbers = [&](HostKernel kernel) { return t.withNumbers() ? std::move(kernel) : HostKernel{}; };
  Whitened result;
  const Tensor sum = reduce(t, x, axes, ReduceOp::Add, true, {}, statistics);
  const Tensor power = reduce(t, x, axes, ReduceOp::SquareAdd, true, {}, statistics);
  result.inverseDeviation =
      map(t, "invStdDev",
          {{BinaryOp::Multiply, statistics}, {BinaryOp::Subtract, statistics}, {BinaryOp::VarianceToInvStdDev, statistics}},
          {power, sum}, statistics, power.shape(), ifNumbers(inverseDeviation(count, epsilon)));
  std::vector<Tensor> inputs{x, sum, result.inverseDeviation};
  std::vector<codelets::MapStep> steps{{BinaryOp::Subtract, type}, {BinaryOp::Multiply, type}};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    inputs.push_back(parameters[i]);
    steps.push_back({i == 0 ? BinaryOp::Multiply : BinaryOp::Add, type});
  }
  result.sum = sum;
  result.out = map(t, "whiten", steps, inputs, type, x.shape(), ifNumbers(oneResult([count](const std::vector<HostTensor>& in) {
                     using numerics::BinaryKind;
                     const ElementType as = in[0].type();
                     HostTensor y = numerics::binary(BinaryKind::Sub, in[0], scaled(in[1].cast(as), 1 / count));
                     y = numerics::binary(BinaryKind::Mul, y, in[2].cast(as));
                     if (in.size() > 3) y = numerics::binary(BinaryKind::Mul, y, in[3].cast(as));
                     if (in.size() > 4) y = numerics::binary(BinaryKind::Add, y, in[4].cast(as));
                     return y;
                   })));
  return result;
}

Tensor normalise(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& axes,
                 const std::vector<Tensor>& parameters, double epsilon, HostKernel kernel) {
  const OpBuilder b = builder.within("norm", "norm");
  // Vertex by vertex the numbers are those of the parts, else one kernel.
  const Tensor out = whiten(b.byCells() ? b : b.timeOnly(), x, axes, parameters, epsilon).out;
  if (kernel && !b.byCells()) {
    std::vector<Tensor> all{x};
    all.insert(all.end(), parameters.begin(), parameters.end());
    b.compute(all, {out}, std::move(kernel));
  }
  return out;
}

Tensor groupNorm(const OpBuilder& builder, const Tensor& x, const Tensor& gamma, const Tensor& beta, int64_t groups,
                 float epsilon) {
  // Seen as [N, groups, channels of a group, positions] the statistics are over the last two axes.
  const int64_t batch = x.dim(0), channels = x.dim(1), inGroup = channels / groups,
                positions = x.numElements() / (batch * channels);
  const Tensor grouped = x.reshape({batch, groups, inGroup, positions});
  const Shape perChannel{1, groups, inGroup, 1};
  HostKernel kernel;
  const Shape &shape = x.shape(), &seen = grouped.shape();
  if (builder.withNumbers())
    kernel = oneResult([shape, seen, groups, epsilon](const std::vector<HostTensor>& in) {
      const auto flat = [](const HostTensor& t) { return t.reshaped({t.count()}); };
      return numerics::groupNorm(in[0].reshaped(shape), flat(in[1]), flat(in[2]), groups, epsilon).reshaped(seen);
    });
  return normalise(builder, grouped, {2, 3}, {gamma.reshape(perChannel), beta.reshape(perChannel)}, double(epsilon),
                   std::move(kernel))
      .reshape(shape);
}

} // namespace simcore::ops

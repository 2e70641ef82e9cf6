#include "simcore/ops/elementwise/elementwise.h"

#include "reports/core/error.h"
#include "reports/core/text.h"
#include "simcore/graph/pair_memory.h"
#include "simcore/graph/planned_pairs.h"
#include "simcore/graph/row_boxes.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/ops/cells/cellwise.h"
#include "simcore/ops/elementwise/elementwise_numbers.h"
#include "simcore/ops/plan/exchange_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace simcore::ops {

using codelets::MapStep;
using numerics::HostTensor;

std::vector<MapStep> mapSteps(ElementType type, std::initializer_list<decltype(MapStep::op)> operations) {
  std::vector<MapStep> steps;
  for (const auto& op : operations) steps.push_back({op, type});
  return steps;
}

namespace {

int64_t count(const Shape& s) { return numerics::elementCount(s); }

// The layout of the result: that of the first full-size input with the best spread.
Distribution resultLayout(const OpBuilder& b, const std::vector<Tensor>& inputs, const Shape& shape, ElementType type) {
  Distribution best;
  for (const Tensor& t : inputs) {
    if (t.numElements() != count(shape)) continue;
    const Distribution d = b.layoutOf(t);
    // Results stay on the tiles of the virtual graph.
    if (b.graph().isVirtual() && d.tiles().clippedTo(b.tileRange()) != d.tiles()) continue;
    if (!best.valid() || d.cells() > best.cells()) best = d;
  }
  return best.valid() ? best : b.linear(count(shape), type);
}

struct Fetched {
  std::vector<Tensor> buffers;
  std::size_t operands = 0;
  int64_t bytes = 0; // on the tile that receives most
};
// The elements of a broadcast operand that each tile of a result of `shape` needs.
graph::Takers broadcastTakers(const Distribution& source, const Shape& operand, const Distribution& layout, const Shape& shape) {
  const bool isGrid = layout.shape().size() > 1;
  if ((isGrid && layout.shape() != shape) || (source.shape().size() > 1 && source.shape() != operand) ||
      operand.size() > shape.size() || !layout.isCertain() || (!isGrid && !graph::liesInRows(layout)))
    return {};
  const auto project = [&](const graph::Box& box) {
    graph::Box of;
    for (std::size_t d = 0; d < operand.size(); ++d) {
      const auto& whole = box.dims[shape.size() - operand.size() + d];
      of.dims.push_back(operand[d] == 1 ? reports::Range<int64_t>{0, 1} : whole);
    }
    return of;
  };
  graph::Takers takers;
  graph::PairKey key(source.tiles().begin);
  takers.key = key.add(3).add(layout).add(shape).add(operand).numbers();
  takers.take = [=, &source, &layout](graph::PlannedPairs& pairs) {
    if (isGrid) {
      std::vector<graph::Box> boxes = graph::cellsOf(layout);
      for (graph::Box& box : boxes) box = project(box);
      return graph::boxTakers(source, operand, boxes, layout.firstTile(), layout.tiles()).take(pairs);
    }
    // The operand is one block of `elements` elements that is repeated as a whole; each element is repeated `repeats` times.
    int64_t repeats = 1, elements = 1;
    bool isBlock = source.shape().size() <= 1, isInner = true, hasGap = false;
    for (std::size_t d = shape.size(), k = operand.size(); d-- > 0;) {
      const int64_t extent = k > 0 ? operand[--k] : 1;
      if (extent > 1) {
        isBlock &= !hasGap;
        isInner = false;
        elements *= extent;
      } else if (isInner) {
        repeats *= shape[d];
      } else {
        hasGap |= shape[d] > 1;
      }
    }
    for (int64_t c = 0; c < layout.cells() && !pairs.failed(); ++c) {
      if (!pairs.wants(layout.tileOf(c))) continue;
      pairs.receiver(layout.tileOf(c));
      const auto range = layout.cell(c).dims[0];
      if (isBlock) {
        const int64_t first = range.begin / repeats, last = (range.end - 1) / repeats, begin = first % elements,
                      end = last % elements + 1;
        if (last - first + 1 >= elements) {
          pairs.takeAll();
        } else if (begin < end) {
          pairs.take(reports::Range<int64_t>{begin, end});
        } else {
          pairs.take(reports::Range<int64_t>{0, end});
          pairs.take(reports::Range<int64_t>{begin, elements});
        }
        continue;
      }
      std::vector<graph::Box> boxes; // without duplicates
      graph::forEachRowBox(range, shape, [&](const graph::Box& box) {
        graph::Box of = project(box);
        if (std::none_of(boxes.begin(), boxes.end(), [&](const graph::Box& other) { return other.dims == of.dims; }))
          boxes.push_back(std::move(of));
      });
      for (const graph::Box& box : boxes) pairs.take(operand, box);
    }
  };
  return takers;
}

// Moves operands with another mapping, and broadcast operands, to the tiles of the result.
Fetched gatherOperands(const OpBuilder& b, const std::vector<Tensor>& inputs, const Distribution& layout, const Shape& shape) {
  const int64_t elements = count(shape);
  std::vector<Tensor> moved;
  Traffic traffic;
  PerTile received, held;
  for (const Tensor& t : inputs) {
    const Distribution d = b.layoutOf(t);
    const bool same = t.numElements() == elements &&
                      (d.sameAs(layout) || (d.cells() == layout.cells() && d.firstTile() == layout.firstTile() &&
                                            d.tiles().begin == layout.tiles().begin && d.maxElements() == layout.maxElements()));
    if (same) continue;
    if (held.empty()) held = layout.elementsByTile();
    if (t.numElements() == elements) {
      traffic.add(b.trafficInOrder(d, layout, elementBytes(t)));
      received.add(held, elementBytes(t));
    } else {
      // A broadcast operand: each tile needs the part for its elements, at most all of it.
      const int64_t n = t.numElements();
      PerTile need;
      for (const auto& r : held.runs())
        need.add(r.tiles, std::min(n, std::max<int64_t>(1, reports::ceilDiv(r.value * n, elements) + (n > 1))));
      traffic.add(b.trafficBlind(d, need, elementBytes(t), broadcastTakers(d, t.shape(), layout, shape)));
      received.add(need, elementBytes(t));
    }
    moved.push_back(t);
  }
  if (moved.empty()) return {};
  Fetched fetched{
      {b.buffer(moved[0].elementType(), "operands", received, reports::MemoryCategory::Message)}, moved.size(), received.max()};
  b.exchange("gatherOperands", moved, fetched.buffers, traffic);
  return fetched;
}

std::string plainName(std::string name) { // e.g. of VARIANCE_TO_INV_STD_DEV: "variance to inv std dev"
  for (char& c : name) c = c == '_' ? ' ' : char(std::tolower(static_cast<unsigned char>(c)));
  return name;
}
std::string stepName(const MapStep& step) {
  if (const auto* u = std::get_if<codelets::UnaryOp>(&step.op)) return plainName(codelets::unaryOpName(*u));
  if (const auto* o = std::get_if<codelets::BinaryOp>(&step.op)) return plainName(codelets::binaryOpName(*o));
  if (const auto* t = std::get_if<codelets::TernaryOp>(&step.op)) return *t == codelets::TernaryOp::Clamp ? "clamp" : "select";
  return "cast";
}

// Records the plan of a map: the method is fixed; a map chooses only its tiles and the operands to fetch.
void recordMap(const OpBuilder& b, const std::vector<std::string>& names, const Distribution& layout, const Fetched& fetched,
               bool inPlace, int64_t cycles) {
  const int64_t tiles = layout.elementsByTile().activeTiles();
  std::string text =
      fmt::format("{} on {}{}", fmt::join(names, ", "), reports::counted(tiles, "tile"), inPlace ? ", in place" : "");
  text += fetched.operands ? fmt::format(", {} fetched", reports::counted(int64_t(fetched.operands), "operand"))
                           : ", no operand fetched";
  b.recordPlan(names.size() > 1 ? "fused codelet" : "one codelet", text,
               {{"steps", names}, {"tiles", tiles}, {"fetched_operands", fetched.operands}, {"in_place", inPlace}},
               {cycles + (fetched.operands ? exchangeEstimate(b.machine(), fetched.bytes) : 0), fetched.bytes});
}

struct Costed {
  codelets::VertexSpec spec;
  codelets::VertexCost cost;
};

// A single step has its own codelet; several are one generated codelet.
Costed costOf(const OpBuilder& b, const std::vector<MapStep>& steps, const std::vector<Tensor>& inputs, ElementType type,
              int64_t n, bool inPlace, bool broadcast) {
  const auto where = inPlace ? codelets::Placement::InPlace : codelets::Placement::OutOfPlace;
  if (steps.size() == 1) {
    const MapStep& s = steps[0];
    if (const auto* u = std::get_if<codelets::UnaryOp>(&s.op))
      return {codelets::unaryOp1DSpec(*u, s.type, where), codelets::unaryOp1D(b.tile(), *u, s.type, n, where)};
    if (const auto* o = std::get_if<codelets::BinaryOp>(&s.op)) {
      if (broadcast && inputs.size() == 2 && inputs[1].numElements() == 1)
        return {codelets::broadcastScalar1DSpec(*o, s.type, where), codelets::broadcastScalar1D(b.tile(), *o, s.type, n, where)};
      return {codelets::binaryOp1DSpec(*o, s.type, where), codelets::binaryOp1D(b.tile(), *o, s.type, n, where)};
    }
    if (const auto* c = std::get_if<codelets::CastTo>(&s.op))
      return {codelets::cast1DSpec(s.type, c->to), codelets::cast1D(b.tile(), s.type, c->to, n)};
  }
  return {codelets::fusedMapSpec(steps, type, int(inputs.size()), where), codelets::fusedMap(b.tile(), steps, n)};
}

void mapInto(const OpBuilder& b, const std::string& name, const std::vector<MapStep>& steps, const std::vector<Tensor>& inputs,
             const Tensor& out, const Distribution& layout, bool inPlace) {
  const int64_t n = out.numElements();
  std::vector<Tensor> reads = inputs;
  const Fetched fetched = gatherOperands(b, inputs, layout, out.shape());
  reads.insert(reads.end(), fetched.buffers.begin(), fetched.buffers.end());
  const bool broadcast = std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& t) { return t.numElements() != n; });
  Superstep step(b, name);
  int64_t cycles = 0;
  for (const auto& r : layout.elementsByTile().runs()) {
    const Costed c = costOf(b, steps, inputs, out.elementType(), r.value, inPlace, broadcast);
    step.add(c.spec, c.cost, r.tiles);
    cycles = std::max(cycles, c.cost.cycles.value());
  }
  step.execute(reads, {out});
  std::vector<std::string> names;
  for (const MapStep& s : steps) names.push_back(stepName(s));
  recordMap(b, names, layout, fetched, inPlace, cycles);
}

// The numbers of an element-wise op: at once, or cell by cell.
void attach(const OpBuilder& b, const std::vector<Tensor>& inputs, const Tensor& out, const Distribution& layout,
            HostKernel kernel, const std::vector<HostTensor>& immediates = {}) {
  if (!kernel) return;
  if (b.graph().vertexByVertex()) {
    kernel = cellwiseMap(std::move(kernel), layout, out.shape(), out.elementType(), immediates);
  } else if (!immediates.empty()) {
    kernel = [kernel = std::move(kernel), immediates](std::vector<HostTensor> in) {
      in.insert(in.end(), immediates.begin(), immediates.end());
      return kernel(in);
    };
  }
  b.compute(inputs, {out}, std::move(kernel));
}

} // namespace

Tensor map(const OpBuilder& builder, const std::string& name, const std::vector<MapStep>& steps,
           const std::vector<Tensor>& inputs, ElementType outputType, const Shape& shape, HostKernel kernel,
           const std::vector<HostTensor>& immediates) {
  const OpBuilder b = builder.within(name, "map");
  const Distribution layout = resultLayout(b, inputs, shape, outputType).laidOut();
  // A flattened layout is kept: only the elements of its cells matter, not their coordinates.
  const Tensor out = b.output(outputType, shape, "out", layout);
  if (count(shape) > 0) mapInto(b, name, steps, inputs, out, layout, false);
  attach(b, inputs, out, layout, std::move(kernel), immediates);
  return out;
}

void mapInPlace(const OpBuilder& builder, const std::string& name, const std::vector<MapStep>& steps,
                const std::vector<Tensor>& inputs, HostKernel kernel, const std::vector<HostTensor>& immediates) {
  const OpBuilder b = builder.within(name, "mapInPlace");
  b.requireLocal(inputs[0]);
  const Distribution layout = b.layoutOf(inputs[0]);
  mapInto(b, name, steps, inputs, inputs[0], layout, true);
  attach(b, inputs, inputs[0], layout, std::move(kernel), immediates);
}

void mapWithOutput(const OpBuilder& builder, const std::string& name, const std::vector<MapStep>& steps,
                   const std::vector<Tensor>& inputs, const Tensor& out, HostKernel kernel) {
  const OpBuilder b = builder.within(name, "map");
  b.requireLocal(out);
  const Distribution layout = b.layoutOf(out);
  mapInto(b, name, steps, inputs, out, layout, false);
  attach(b, inputs, out, layout, std::move(kernel));
}

namespace {
HostKernel kernelOf(const OpBuilder& b, codelets::UnaryOp op, HostKernel given) {
  if (given || !b.withNumbers()) return given;
  return oneResult([op](const std::vector<HostTensor>& in) { return unaryNumbers(op, in[0]); });
}
HostKernel kernelOf(const OpBuilder& b, codelets::BinaryOp op, HostKernel given) {
  if (given || !b.withNumbers()) return given;
  return oneResult([op](const std::vector<HostTensor>& in) { return binaryNumbers(op, in[0], in[1]); });
}
HostKernel kernelOf(const OpBuilder& b, codelets::NonLinearity kind, HostKernel given) {
  if (given || !b.withNumbers()) return given;
  return oneResult([kind](const std::vector<HostTensor>& in) {
    using N = codelets::NonLinearity;
    using numerics::UnaryKind;
    switch (kind) {
    case N::Relu: return numerics::unary(UnaryKind::Relu, in[0]);
    case N::Sigmoid: return numerics::unary(UnaryKind::Sigmoid, in[0]);
    case N::Tanh: return numerics::unary(UnaryKind::Tanh, in[0]);
    case N::Gelu: return numerics::unary(UnaryKind::GeluTanh, in[0]);
    case N::GeluErf: return numerics::unary(UnaryKind::Gelu, in[0]);
    case N::Swish: break;
    }
    return numerics::binary(numerics::BinaryKind::Mul, in[0], numerics::unary(UnaryKind::Sigmoid, in[0]));
  });
}
} // namespace

Tensor unary(const OpBuilder& builder, codelets::UnaryOp op, const Tensor& x, HostKernel kernel) {
  return map(builder, codelets::unaryOpName(op), {{op, x.elementType()}}, {x}, isTest(op) ? ElementType::Bool : x.elementType(),
             x.shape(), kernelOf(builder, op, std::move(kernel)));
}

void unaryInPlace(const OpBuilder& builder, codelets::UnaryOp op, const Tensor& x) {
  mapInPlace(builder, codelets::unaryOpName(op), {{op, x.elementType()}}, {x}, kernelOf(builder, op, {}));
}

Tensor binary(const OpBuilder& builder, codelets::BinaryOp op, const Tensor& a, const Tensor& b, HostKernel kernel) {
  const ElementType out = codelets::isComparison(op) ? ElementType::Bool : a.elementType();
  return map(builder, codelets::binaryOpName(op), {{op, a.elementType()}}, {a, b}, out, numerics::broadcast(a.shape(), b.shape()),
             kernelOf(builder, op, std::move(kernel)));
}

void binaryInPlace(const OpBuilder& builder, codelets::BinaryOp op, const Tensor& a, const Tensor& b) {
  mapInPlace(builder, codelets::binaryOpName(op), {{op, a.elementType()}}, {a, b}, kernelOf(builder, op, {}));
}

Tensor nonLinearity(const OpBuilder& builder, codelets::NonLinearity kind, const Tensor& x, HostKernel kernel) {
  const OpBuilder b = builder.within(codelets::nonLinearityName(kind), "nonLinearity");
  const Tensor in = b.local(x);
  const Distribution layout = b.layoutOf(in);
  const Tensor out = b.output(x.elementType(), x.shape(), "out", layout);
  Superstep step(b, codelets::nonLinearityName(kind));
  for (const auto& r : layout.elementsByTile().runs())
    step.add(codelets::nonLinearity1DSpec(kind, x.elementType()),
             codelets::nonLinearity1D(b.tile(), kind, x.elementType(), r.value), r.tiles);
  step.execute({in}, {out});
  recordMap(b, {codelets::nonLinearityName(kind)}, layout, {}, false,
            codelets::nonLinearity1D(b.tile(), kind, x.elementType(), layout.maxElements()).cycles.value());
  attach(b, {in}, out, layout, kernelOf(b, kind, std::move(kernel)));
  return out;
}

void nonLinearityInPlace(const OpBuilder& builder, codelets::NonLinearity kind, const Tensor& x, HostKernel kernel) {
  const OpBuilder b = builder.within(codelets::nonLinearityName(kind), "nonLinearity");
  b.requireLocal(x);
  Superstep step(b, codelets::nonLinearityName(kind));
  const auto where = codelets::Placement::InPlace;
  for (const auto& r : b.layoutOf(x).elementsByTile().runs())
    step.add(codelets::nonLinearity1DSpec(kind, x.elementType(), where),
             codelets::nonLinearity1D(b.tile(), kind, x.elementType(), r.value, where), r.tiles);
  step.execute({x}, {x});
  recordMap(b, {codelets::nonLinearityName(kind)}, b.layoutOf(x), {}, true,
            codelets::nonLinearity1D(b.tile(), kind, x.elementType(), b.layoutOf(x).maxElements(), where).cycles.value());
  attach(b, {x}, x, b.layoutOf(x), kernelOf(b, kind, std::move(kernel)));
}

Tensor nonLinearityGrad(const OpBuilder& builder, codelets::NonLinearity kind, const Tensor& gradient, const Tensor& point,
                        HostKernel kernel) {
  const OpBuilder b = builder.within(std::string(codelets::nonLinearityName(kind)) + "Grad", "nonLinearityGrad");
  const Tensor at = b.local(point);
  const Distribution layout = b.layoutOf(at);
  const Tensor out = b.output(at.elementType(), at.shape(), "out", layout);
  std::vector<Tensor> reads{gradient, at};
  const Fetched fetched = gatherOperands(b, {gradient}, layout, at.shape());
  reads.insert(reads.end(), fetched.buffers.begin(), fetched.buffers.end());
  Superstep step(b, codelets::nonLinearityName(kind) + std::string("Grad"));
  for (const auto& r : layout.elementsByTile().runs())
    step.add(codelets::nonLinearityGrad1DSpec(kind, at.elementType()),
             codelets::nonLinearityGrad1D(b.tile(), kind, at.elementType(), r.value), r.tiles);
  step.execute(reads, {out});
  recordMap(b, {std::string(codelets::nonLinearityName(kind)) + " gradient"}, layout, fetched, false,
            codelets::nonLinearityGrad1D(b.tile(), kind, at.elementType(), layout.maxElements()).cycles.value());
  attach(b, {gradient, at}, out, layout, std::move(kernel));
  return out;
}

void zero(const OpBuilder& builder, const Tensor& x) {
  const OpBuilder b = builder.within("zero", "zero");
  b.requireLocal(x);
  Superstep step(b, "Zero");
  for (const auto& r : b.layoutOf(x).elementsByTile().runs()) {
    const int64_t workers = std::min<int64_t>(b.tile().workers, r.value);
    step.add(codelets::fillSpec(x.elementType()), codelets::fill(b.tile(), x.elementType(), reports::ceilDiv(r.value, workers)),
             r.tiles, workers);
  }
  step.execute({}, {x});
  const ElementType type = numerics::isFloating(x.elementType()) ? ElementType::Float : x.elementType();
  HostKernel zeros = oneResult([shape = x.shape(), type](const std::vector<HostTensor>&) { return HostTensor(type, shape); });
  if (b.byCells()) // every cell writes its own zeros
    zeros = cellwiseGenerate(
        [type](const std::vector<HostTensor>&, const std::vector<int64_t>& at) { return HostTensor(type, {int64_t(at.size())}); },
        b.layoutOf(x), x.shape(), type);
  b.compute({}, {x}, std::move(zeros));
}

void addBias(const OpBuilder& builder, const Tensor& x, const Tensor& bias, std::size_t channelDimension) {
  const OpBuilder b = builder.within("addBias", "addBias");
  b.requireLocal(x);
  const Distribution layout = b.layoutOf(x);
  const auto buffers = gatherOperands(b, {bias}, layout, x.shape()).buffers;
  std::vector<Tensor> reads{x, bias};
  reads.insert(reads.end(), buffers.begin(), buffers.end());
  const bool grid = layout.shape().size() == x.rank() && x.rank() > channelDimension;
  // Products and convolutions store results as groups of kGroup channels (poplin: output channels per group of the matrix unit in
  // half). Flat layouts, and layouts whose channels a reduction has cut, do not show these groups, but their elements are in
  // groups too.
  constexpr int64_t kGroup = 16;
  Superstep step(b, "addBias");
  for (const auto& r : layout.elementsByTile().runs()) {
    const int64_t channels = grid && x.elementType() != ElementType::Half
                                 ? std::max<int64_t>(1, layout.cell(0).dims[channelDimension].size())
                                 : std::min<int64_t>({bias.numElements(), r.value, kGroup});
    const auto broadcast = codelets::broadcastVectorInner(b.tile(), codelets::BinaryOp::Add, x.elementType(),
                                                          reports::ceilDiv(r.value, channels), channels);
    const auto sum =
        codelets::binaryOp1D(b.tile(), codelets::BinaryOp::Add, x.elementType(), r.value, codelets::Placement::InPlace);
    // Nothing is repeated within one row, so a plain sum is possible. For halves that are not whole vectors it is faster.
    if (r.value <= channels && sum.cycles < broadcast.cycles)
      step.add(codelets::binaryOp1DSpec(codelets::BinaryOp::Add, x.elementType(), codelets::Placement::InPlace), sum, r.tiles);
    else
      step.add(codelets::broadcastVectorInnerSpec(codelets::BinaryOp::Add, x.elementType(), codelets::Placement::InPlace),
               broadcast, r.tiles);
  }
  step.execute(reads, {x});
  if (!b.withNumbers()) return;
  Shape shape(x.rank(), 1);
  shape[channelDimension] = bias.numElements();
  const HostKernel add = [](const std::vector<HostTensor>& in) {
    return std::vector<HostTensor>{numerics::binary(numerics::BinaryKind::Add, in[0], in[1])};
  };
  attach(b, {x, bias.reshape(shape)}, x, layout, add);
}

Tensor cast(const OpBuilder& builder, const Tensor& x, ElementType to) {
  HostKernel kernel;
  if (builder.withNumbers()) kernel = [to](const std::vector<HostTensor>& in) { return std::vector<HostTensor>{in[0].cast(to)}; };
  return map(builder, "cast", {{codelets::CastTo{to}, x.elementType()}}, {x}, to, x.shape(), std::move(kernel));
}

void scaledAddTo(const OpBuilder& builder, const Tensor& y, const Tensor& x, float scale) {
  const OpBuilder b = builder.within("scaledAdd", "scaledAddTo");
  b.requireLocal(y);
  const Distribution layout = b.layoutOf(y);
  std::vector<Tensor> reads{y, x};
  const auto buffers = gatherOperands(b, {x}, layout, y.shape()).buffers;
  reads.insert(reads.end(), buffers.begin(), buffers.end());
  Superstep step(b, "scaledAdd");
  for (const auto& r : layout.elementsByTile().runs())
    step.add(codelets::scaledAddSpec(y.elementType(), y.elementType()),
             codelets::scaledAdd(b.tile(), y.elementType(), y.elementType(), r.value), r.tiles);
  step.execute(reads, {y});
  if (!b.withNumbers()) return;
  attach(b, {y, x}, y, layout, [scale](const std::vector<HostTensor>& in) {
    return std::vector<HostTensor>{numerics::binary(
        numerics::BinaryKind::Add, in[0], numerics::binary(numerics::BinaryKind::Mul, in[1], HostTensor::scalar(scale)))};
  });
}

} // namespace simcore::ops

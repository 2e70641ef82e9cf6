#include "simcore/ops/conv/convolution.h"

#include "reports/core/error.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/reduce.h"
#include "simcore/codelets/slice.h"
#include "simcore/graph/sender_check.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"
#include "simcore/ops/conv/conv_operands.h"
#include "simcore/ops/conv/conv_traffic.h"

#include <algorithm>
#include <map>
#include <utility>

namespace simcore::ops {

using numerics::HostTensor;
using reports::MemoryCategory;
using reports::roundUp;

namespace {

// Emits one planned convolution.
class ConvLowering {
public:
  ConvLowering(const OpBuilder& b, const ConvParams& p, const ConvPlan& plan, const ConvOptions& options, const Tensor& weights)
      : m_b(b), m_options(options), m_grid(b, p, plan), m_traffic(b, m_grid, options, weights.wholeVariable()) {}

  // The numbers, cell by cell.
  HostKernel cells() const {
    std::vector<ConvCell> list;
    for (const ConvGrid::Cell& c : m_grid.cells())
      if (!c.part.isIdle()) list.push_back(c.spans);
    return cellwiseConvolution(m_grid.whole, m_grid.plan, m_grid.form, std::move(list));
  }

  Tensor run(const Tensor& x, const Tensor& weights, const Shape& outShape) {
    const Distribution layout = m_grid.outputLayout(outShape);
    const Tensor result = m_b.output(m_grid.slice.result(), outShape, "out", layout);
    if (!m_options.resultInOrder) m_b.graph().setDistribution(result, layout.estimated());
    mapWeights(weights);
    const RearrangeCosts anew = rearrangeCosts(m_grid.slice, m_grid.form, m_grid.plan);
    if (anew.resultElements == 0) {
      inSlices(x, transposed(weights), result);
    } else {
      const Tensor made =
          m_b.buffer(m_grid.slice.result(), "made", m_grid.evenly(anew.resultElements, elementBytes(m_grid.slice.result())),
                     MemoryCategory::Rearrangement);
      inSlices(x, transposed(weights), made);
      rearrange(m_b, "rearrangeResult", {made}, result, anew.resultElements, anew.resultCycles,
                [&](const PerTile& bytesIn) { return m_traffic.resultPairs(layout, bytesIn); });
    }
    return result;
  }

private:
  // Computes all serial slices into `out`.
  void inSlices(const Tensor& x, const Tensor& weights, const Tensor& out) {
    if (m_grid.plan.serial() == 1) return slice(m_b, x, weights, out);
    // A loop over the serial slices: each makes `slice`, which is added to the result or copied into it. Nothing of the result is
    // live before the loop.
    m_b.program().add(graph::program::writeUndef(out));
    const SliceCosts slices = sliceCosts(m_grid.slice, m_grid.plan);
    const Tensor sliceable = slices.weightElements > 0 ? arranged(weights, slices.weightElements) : weights;
    Sequence body;
    const OpBuilder b = m_b.into(body);
    const Tensor taken = slices.weightElements > 0 ? takeSlice(b, x, sliceable, slices) : weights;
    const Tensor part = b.buffer(m_grid.slice.result(), "slice", m_grid.bytes(&PartBytes::output), MemoryCategory::Variable);
    slice(b, x, taken, part);
    Superstep step(b, m_grid.plan.inSerial > 1 ? "AddInPlace" : "DynamicUpdate");
    for (const auto& r : m_grid.bytes(&PartBytes::output).runs()) {
      const int64_t n = r.value / elementBytes(m_grid.slice.result());
      if (m_grid.plan.inSerial > 1)
        step.add(codelets::binaryOp1DSpec(codelets::BinaryOp::Add, m_grid.slice.result(), codelets::Placement::InPlace),
                 codelets::binaryOp1D(b.tile(), codelets::BinaryOp::Add, m_grid.slice.result(), n, codelets::Placement::InPlace),
                 r.tiles);
      else
        step.add(codelets::memcpySpec(8), codelets::memcpyCycles(b.tile(), r.value, 8), r.tiles);
    }
    step.execute({part, out}, {out});
    m_b.program().add(graph::program::repeat(m_grid.plan.serial(), body, "serialSlices", m_b.context()));
  }

  // Moves `elements` elements of each tile to other tiles, which copy them to their final order in `cycles`.
  void rearrange(const OpBuilder& b, const std::string& name, const std::vector<Tensor>& from, const Tensor& to, int64_t elements,
                 int64_t cycles, const std::function<graph::SharedPairs(const PerTile&)>& pairsOf = {}) const {
    Traffic traffic;
    traffic.bytesIn = traffic.bytesOut = m_grid.evenly(elements);
    if (pairsOf && m_b.graph().keepsPairs()) traffic.pairs = pairsOf(traffic.bytesIn);
    if (!graph::sendersAgree(traffic.pairs, traffic.bytesOut)) traffic.pairs.clear();
    m_traffic.note(traffic, from.front(), m_traffic.heldNote(from.front()),
                   {"elements in the order of the matrix unit, equal shares", traffic.bytesIn.activeTiles()});
    PerTile copies;
    for (const auto& r : traffic.bytesIn.runs()) copies.add(r.tiles, cycles);
    b.exchange(name, from, {to}, traffic, copies);
  }

  // A second copy of the weights, laid out for slicing.
  Tensor arranged(const Tensor& weights, int64_t elements) const {
    const Tensor sliceable = m_b.buffer(m_grid.slice.type, "sliceable", m_grid.evenly(elements), MemoryCategory::Rearrangement);
    rearrange(m_b, "rearrangeWeights", {weights}, sliceable, elements, elements);
    return sliceable;
  }

  // The weights of a layer's backward product: the weights of the forward product are transposed block by block on their own
  // tiles, in equal shares, and then sent to the tiles where this product needs them.
  Tensor transposed(const Tensor& weights) const {
    const TransposeCost t = weightTransposeCost(m_b.tile(), m_grid.whole, m_grid.form, m_grid.plan);
    if (t.elements == 0) return weights;
    const Tensor blocks = m_b.buffer(m_grid.slice.type, "blocks", m_grid.evenly(t.elements), MemoryCategory::Rearrangement),
                 turned = m_b.buffer(m_grid.slice.type, "transposed", m_grid.evenly(t.elements), MemoryCategory::Rearrangement);
    Superstep step(m_b, "TransposeWeights");
    for (const auto& r : m_grid.evenly(1).runs())
      if (r.value > 0) step.add(t.spec, t.cost, r.tiles);
    step.execute({weights}, {blocks});
    rearrange(m_b, "transposeWeights", {blocks}, turned, t.elements, 0,
              [&](const PerTile& bytesIn) { return m_traffic.weightPairsOf(weights).fromShares(weights, bytesIn); });
    return turned;
  }

  Tensor takeSlice(const OpBuilder& b, const Tensor& x, const Tensor& sliceable, const SliceCosts& slices) {
    const Tensor taken =
        b.buffer(m_grid.slice.type, "weightSlice", m_grid.evenly(slices.weightSlice), MemoryCategory::Rearrangement);
    Superstep step(b, "DynamicSlice");
    for (const auto& r : m_grid.evenly(1).runs())
      for (const int64_t n : {slices.weightSlice, slices.inputSlice})
        if (r.value > 0 && n > 0)
          step.add(codelets::dynamicSlice1DSpec(codelets::SliceDirection::Slice, m_grid.slice.type),
                   codelets::dynamicSlice1D(b.tile(), codelets::SliceDirection::Slice, m_grid.slice.type, n, 1), r.tiles);
    step.execute({sliceable, x}, {taken});
    return taken;
  }

  // One iteration, or the whole product without serial slices: brings the operands to their tiles, computes the partial products
  // and reduces them into `out`. `taken`: the weights of the iteration.
  void slice(const OpBuilder& b, const Tensor& given, const Tensor& taken, const Tensor& out) {
    const RearrangeCosts anew = rearrangeCosts(m_grid.slice, m_grid.form, m_grid.plan);
    Tensor x = given;
    if (anew.operandElements > 0) {
      x = b.buffer(m_grid.slice.type, "operands", m_grid.evenly(anew.operandElements), MemoryCategory::Rearrangement);
      rearrange(b, "rearrangeOperands", {given, taken}, x, anew.operandElements, anew.operandCycles,
                [&](const PerTile& bytesIn) { return m_traffic.operandPairs(given, taken, anew, bytesIn); });
    }
    const PerTile expanded = m_grid.bytes(&PartBytes::transformed), zeroed = m_grid.bytes(&PartBytes::zeroed);
    const Tensor input = b.buffer(m_grid.slice.type, "in", m_grid.bytes(&PartBytes::held), MemoryCategory::Message);
    std::vector<Tensor> buffers{input};
    Traffic traffic = m_traffic.input(given, anew.input);
    PerTile copies;
    std::vector<Tensor> from{x, taken};
    if (m_grid.plan.batchSplit * m_grid.plan.fieldSplit[0] * m_grid.plan.fieldSplit[1] > 1) {
      traffic.add(m_traffic.weights(taken, anew.weights));
      buffers.push_back(
          b.buffer(m_grid.slice.type, "weights", m_grid.bytes(&PartBytes::weightsPadded), MemoryCategory::Rearrangement, true));
    }
    for (const auto& r : expanded.runs())
      if (r.value > 0) copies.add(r.tiles, arrangeCycles(b.tile(), m_grid.slice, {.transformed = r.value}));
    for (const auto& r : zeroed.runs())
      if (r.value > 0) copies.add(r.tiles, arrangeCycles(b.tile(), m_grid.slice, {.zeroed = r.value}));
    if (m_grid.form.expansion > 1)
      buffers.push_back(b.buffer(m_grid.slice.type, "expanded", expanded, MemoryCategory::Rearrangement));
    PerTile holders = m_b.layoutOf(given).elementsByTile(); // each operand obeys by itself; small ones may not together
    holders.add(m_b.layoutOf(taken).elementsByTile());
    const int64_t sent = traffic.bytesOut.sum();
    graph::obeySendingLaw(traffic, holders);
    if (traffic.bytesOut.sum() != sent && !graph::sendersAgree(traffic.pairs, traffic.bytesOut)) traffic.pairs.clear();
    b.exchange("transform", from, buffers, traffic, copies, b.tile().workers); // elements at strides: one run per worker
    std::vector<Tensor> reads = buffers;
    if (anew.operandElements == 0) reads.push_back(x); // a rearranged operand is completely in the buffers
    reads.push_back(taken);
    if (m_grid.ways() > 1 || m_grid.slice.partials != m_grid.slice.result()) {
      const Tensor partials =
          b.buffer(m_grid.slice.partials, "partials", m_grid.bytes(&PartBytes::partials), MemoryCategory::Variable, true);
      convolve(b, reads, {partials});
      if (m_grid.ways() > 1)
        reducePartials(b, partials, out);
      else
        castPartials(b, partials, out);
    } else {
      std::vector<Tensor> made{out};
      if (const PerTile filling = m_grid.bytes(&PartBytes::filling); filling.sum() > 0)
        made.push_back(b.buffer(m_grid.slice.partials, "fillingRows", filling, MemoryCategory::Rearrangement));
      convolve(b, reads, made);
    }
  }

  void mapWeights(const Tensor& weights) {
    const auto id = weights.wholeVariable();
    if (!id.valid()) return;
    auto& v = m_b.graph().variable(id);
    if (v.mapped()) return;
    v.interleaved = true;
    v.distribution = m_grid.weightLayout(weights.numElements(), elementBytes(weights)).laidFor(m_grid.planKey());
  }

  void convolve(const OpBuilder& b, const std::vector<Tensor>& reads, const std::vector<Tensor>& results) {
    Superstep step(b, "Convolve");
    std::map<ConvPart, std::pair<codelets::VertexSpec, codelets::VertexCost>>
        costs; // at most 64 different parts: each split has a full and a last size
    for (std::size_t c = 0; c < m_grid.cells().size();) {
      const ConvPart& part = m_grid.cells()[c].part;
      std::size_t end = c + 1;
      while (end < m_grid.cells().size() && m_grid.cells()[end].part == part && m_grid.tileOf(end) == m_grid.tileOf(end - 1) + 1)
        ++end;
      if (!part.isIdle()) {
        const auto [it, added] = costs.try_emplace(part);
        if (added)
          it->second = {partialSpec(m_b.tile(), m_grid.slice, m_grid.form, part),
                        partialCost(m_b.tile(), m_grid.slice, m_grid.form, part)};
        step.add(it->second.first, it->second.second, {m_grid.tileOf(c), m_grid.tileOf(c) + int64_t(end - c)});
      }
      c = end;
    }
    step.execute(reads, results);
  }

  void reducePartials(const OpBuilder& builder, const Tensor& partials, const Tensor& out) {
    // In every stage a tile takes its share of the outputs from the other tiles of its group; after the last stage each tile has
    // its final share.
    const OpBuilder b = builder.within("Reduce", "reduce");
    const std::size_t stages = reduceStages(1, m_grid.ways()).size();
    Tensor from = partials;
    for (std::size_t stage = 0; stage + 1 < stages; ++stage) from = reduceStage(b, from, {}, stage);
    reduceStage(b, from, out, stages - 1);
  }

  // Writes into `out`, or into new partial sums if `out` is invalid.
  Tensor reduceStage(const OpBuilder& b, const Tensor& from, Tensor out, std::size_t index) {
    const int64_t size = elementBytes(m_grid.slice.partials);
    Traffic t;
    PerTile outputs, gatheredBytes, copies, sums;
    int64_t fanIn = 1;
    for (const auto& r : m_grid.bytes(&PartBytes::partials).runs()) {
      const ConvReduceStage stage = reduceStages(r.value / size, m_grid.ways())[index];
      const int64_t in = roundUp(stage.share * (stage.fanIn - 1) * size, 4);
      fanIn = stage.fanIn;
      outputs.add(r.tiles, stage.share);
      sums.add(r.tiles, stage.share * size);
      gatheredBytes.add(r.tiles, roundUp(stage.share * fanIn * size, 4));
      copies.add(r.tiles, codelets::memcpyCycles(b.tile(), stage.share * size, 8).cycles.value()); // copies its own share
      t.bytesIn.add(r.tiles, in);
      t.bytesOut.add(r.tiles, in);
      t.messagesIn.add(r.tiles, fanIn - 1);
      t.messagesOut.add(r.tiles, fanIn - 1);
    }
    t.pairs = m_traffic.partialPairs(index);
    m_traffic.note(t, from,
                   {"partial sums of the same outputs on " + std::to_string(fanIn) + " tiles each", t.bytesIn.activeTiles()},
                   {"sums in equal shares", t.bytesIn.activeTiles()});
    const Tensor gathered = b.buffer(m_grid.slice.partials, "partialsIn", gatheredBytes, MemoryCategory::Message);
    b.exchange("gatherPartials", {from}, {gathered}, t, copies);
    const bool last = out.valid();
    if (!last) out = b.buffer(m_grid.slice.partials, "partialSums", sums, MemoryCategory::Variable);
    const ElementType type = last ? m_grid.slice.result() : m_grid.slice.partials;
    Superstep step(b, last ? "Reduce" : "ReduceStage" + std::to_string(index));
    step.forEachRun(outputs, [&](int64_t n) {
      return std::pair(codelets::convReduceSingleInputSpec(type, m_grid.slice.partials),
                       codelets::convReduceSingleInput(b.tile(), type, m_grid.slice.partials, n, fanIn));
    });
    step.execute({gathered}, {out});
    return out;
  }

  void castPartials(const OpBuilder& b, const Tensor& partials, const Tensor& out) {
    Superstep step(b, "Cast");
    step.forEachRun(m_grid.bytes(&PartBytes::partials), [&](int64_t n) {
      return std::pair(
          codelets::convCastSpec(m_grid.slice.partials, m_grid.slice.result()),
          codelets::convCast(m_b.tile(), m_grid.slice.partials, m_grid.slice.result(), n / elementBytes(m_grid.slice.partials)));
    });
    step.execute({partials}, {out});
  }

  const OpBuilder& m_b;
  const ConvOptions& m_options;
  const ConvGrid m_grid;
  const ConvTraffic m_traffic;
};

// `cells`, if not null, gets the cell-by-cell numbers of the plan.
Tensor planAndLower(const OpBuilder& b, const Tensor& x, const Tensor& weights, const ConvParams& params, const Shape& outShape,
                    const ConvOptions& options, HostKernel* cells) {
  ConvOptions planned = options;
  planned.availableMemoryProportion = b.availableMemoryProportion(options.availableMemoryProportion);
  if (numerics::isQuarter(params.type) && !b.tile().hasQuarter())
    throw reports::Error(reports::ErrorCode::Unsupported, "the machine " + b.machine().title + " does not multiply 8-bit floats",
                         b.graph().fullName(b.context()));
  const ConvPlan plan = planConvolution(b.machine(), params, planned);
  b.recordPlan(convMethodName(plan.method), plan.text(), plan.details(), plan.cost());
  ConvLowering lowering(b, withPartials(params, options), plan, options, weights);
  if (cells) *cells = lowering.cells();
  return lowering.run(x, weights, outShape);
}

} // namespace

Tensor convolution(const OpBuilder& builder, const Tensor& x, const Tensor& weights, const ConvParams& params, HostKernel kernel,
                   const ConvOptions& options) {
  const OpBuilder b = builder.within("convolution", "convolution");
  if (params.out(0) < 1 || params.out(1) < 1)
    throw reports::Error(reports::ErrorCode::InvalidInput, "the kernel is larger than the padded input",
                         b.graph().fullName(b.context()));
  HostKernel cells;
  const bool byCells = b.byCells();
  const Tensor out =
      planAndLower(b, x, weights, params, {params.batch, params.groups * params.outChannels, params.out(0), params.out(1)},
                   options, byCells ? &cells : nullptr);
  if (cells) kernel = arrangedCells(std::move(cells), options);
  if (!kernel && b.withNumbers()) {
    numerics::Window window;
    for (std::size_t d = 0; d < 2; ++d) {
      window.kernel.push_back(params.kernel[d]);
      window.strides.push_back(params.stride[d]);
      window.dilations.push_back(params.dilation[d]);
    }
    window.padsBefore = {params.padLow[0], params.padLow[1]};
    window.padsAfter = {params.padHigh[0], params.padHigh[1]};
    kernel = [window, groups = params.groups](const std::vector<HostTensor>& in) {
      return std::vector<HostTensor>{numerics::convolution(convOperand(in[0]), convOperand(in[1]), nullptr, window, groups)};
    };
  }
  if (kernel) b.compute({x, weights}, {out}, std::move(kernel));
  return out;
}

Tensor matmul(const OpBuilder& builder, const Tensor& a, const Tensor& bTensor, HostKernel kernel, const ConvOptions& options) {
  const OpBuilder b = builder.within("matmul", "matmul");
  const Shape shape = numerics::matmulShape(a.shape(), bTensor.shape());
  const int64_t k = a.dim(a.rank() - 1), n = bTensor.rank() > 1 ? bTensor.dim(bTensor.rank() - 1) : 1;
  const int64_t rows = numerics::elementCount(shape) / std::max<int64_t>(1, n),
                matrices = bTensor.rank() > 1 ? bTensor.numElements() / std::max<int64_t>(1, k * n) : 1;
  ConvParams p;
  p.type = a.elementType();
  p.groups = std::max<int64_t>(1, matrices); // one product per matrix of b
  p.inChannels = k;
  p.outChannels = n;
  p.product = true;
  p.pass = options.pass;
  p.in = {std::max<int64_t>(1, rows / std::max<int64_t>(1, matrices)), 1};
  HostKernel cells;
  const bool byCells = b.byCells();
  ConvOptions ordered = options;
  if (bTensor.rank() > 1 && a.rank() > 1 && !ProductOrder(shape, a.shape(), bTensor.shape()).isPlain())
    ordered.inputInOrder = ordered.resultInOrder = false;
  const Tensor out = planAndLower(b, a, bTensor, p, shape, ordered, byCells ? &cells : nullptr);
  if (cells) kernel = productByCells(std::move(cells), p, shape, options);
  if (!kernel && b.withNumbers())
    kernel = [](const std::vector<HostTensor>& in) {
      return std::vector<HostTensor>{numerics::matmul(convOperand(in[0]), convOperand(in[1]))};
    };
  if (kernel) b.compute({a, bTensor}, {out}, std::move(kernel));
  return out;
}

} // namespace simcore::ops

// The lowering of a plan; over 500 lines because its cells, traffic, slices and reductions are one class.
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
#include "simcore/ops/conv/conv_anew.h"
#include "simcore/ops/conv/conv_cells.h"
#include "simcore/ops/conv/conv_operands.h"
#include "simcore/ops/conv/conv_pairs.h"
#include "simcore/ops/conv/conv_problem.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;
using reports::roundUp;

namespace {

// Emits one planned convolution.
class ConvLowering {
public:
  ConvLowering(const OpBuilder& b, const ConvParams& p, const ConvPlan& plan, const ConvOptions& options)
      : m_b(b), m_options(options), m_whole(p), m_p(slicedParams(p, plan)), m_plan(plan) {
    for (const ConvForm& f : formsOf(b.tile(), m_p))
      if (f.method == plan.method && f.combineGroups == plan.combineGroups && f.swapped == plan.swapped) m_form = f;
    // Cells in the order batch, channels (groups, then out), rows, columns, input channels: the last split is the reduction. A
    // product has output channels last. Either way a pair of cells begins on an even tile, i.e. one exchange bus.
    m_channelSplit = plan.groupSplit * plan.outSplit;
    m_channels = p.groups * p.outChannels; // channels of the whole result
    m_cells = plan.tiles();
    // All convolutions begin at the first tile, so that operands of equal plans are on the same tiles (poplibs ConvOptions.hpp:
    // enableConvDithering is off by default).
    split();
  }

  Tensor run(const Tensor& x, const Tensor& weights, const Shape& outShape) {
    const Distribution layout = outputLayout(outShape);
    const Tensor result = m_b.output(m_p.result(), outShape, "out", layout);
    if (!m_options.resultInOrder) m_b.graph().setDistribution(result, layout.estimated());
    mapWeights(weights);
    m_given = weights.wholeVariable();
    const RearrangeCosts anew = rearrangeCosts(m_p, m_form, m_plan);
    if (anew.resultElements == 0) {
      inSlices(x, transposed(weights), result);
    } else {
      const Tensor made = m_b.buffer(m_p.result(), "made", evenly(anew.resultElements, elementBytes(m_p.result())),
                                     MemoryCategory::Rearrangement);
      inSlices(x, transposed(weights), made);
      rearrange(m_b, "rearrangeResult", {made}, result, anew.resultElements, anew.resultCycles,
                [&](const PerTile& bytesIn) { return resultPairs(layout, bytesIn); });
    }
    return result;
  }

private:
  // Computes all serial slices into `out`.
  void inSlices(const Tensor& x, const Tensor& weights, const Tensor& out) {
    if (m_plan.serial() == 1) return slice(m_b, x, weights, out);
    // A loop over the serial slices: each iteration makes `slice`, which is added to the result or copied into it. Nothing of the
    // result is live before the loop.
    m_b.program().add(graph::program::writeUndef(out));
    const SliceCosts slices = sliceCosts(m_p, m_plan);
    const Tensor sliceable = slices.weightElements > 0 ? arranged(weights, slices.weightElements) : weights;
    Sequence body;
    const OpBuilder b = m_b.into(body);
    const Tensor taken = slices.weightElements > 0 ? takeSlice(b, x, sliceable, slices) : weights;
    const Tensor part = b.buffer(m_p.result(), "slice", bytes(&PartBytes::output), MemoryCategory::Variable);
    slice(b, x, taken, part);
    Superstep step(b, m_plan.inSerial > 1 ? "AddInPlace" : "DynamicUpdate");
    for (const auto& r : bytes(&PartBytes::output).runs()) {
      const int64_t n = r.value / elementBytes(m_p.result());
      if (m_plan.inSerial > 1)
        step.add(codelets::binaryOp1DSpec(codelets::BinaryOp::Add, m_p.result(), codelets::Placement::InPlace),
                 codelets::binaryOp1D(b.tile(), codelets::BinaryOp::Add, m_p.result(), n, codelets::Placement::InPlace), r.tiles);
      else
        step.add(codelets::memcpySpec(8), codelets::memcpyCycles(b.tile(), r.value, 8), r.tiles);
    }
    step.execute({part, out}, {out});
    m_b.program().add(graph::program::repeat(m_plan.serial(), body, "serialSlices", m_b.context()));
  }

  // Gives every tile with work the same number of elements.
  PerTile evenly(int64_t elements) const { return evenly(elements, elementBytes(m_p.type)); }
  PerTile evenly(int64_t elements, int64_t size) const {
    std::vector<int64_t> byTile(static_cast<std::size_t>(m_b.tiles()), 0);
    for (std::size_t c = 0; c < m_cellList.size(); ++c)
      byTile[std::size_t(tileOf(c) - m_b.tileRange().begin)] = roundUp(elements * size, 4);
    return m_b.perTile(byTile);
  }

  // Moves `elements` elements of each tile to other tiles, which copy them to their final order in `cycles`.
  void rearrange(const OpBuilder& b, const std::string& name, const std::vector<Tensor>& from, const Tensor& to, int64_t elements,
                 int64_t cycles, const std::function<graph::SharedPairs(const PerTile&)>& pairsOf = {}) const {
    Traffic traffic;
    traffic.bytesIn = traffic.bytesOut = evenly(elements);
    if (pairsOf && m_b.graph().keepsPairs()) traffic.pairs = pairsOf(traffic.bytesIn);
    if (!graph::sendersAgree(traffic.pairs, traffic.bytesOut)) traffic.pairs.clear();
    note(traffic, from.front(), heldNote(from.front()),
         {"elements in the order of the matrix unit, equal shares", traffic.bytesIn.activeTiles()});
    PerTile copies;
    for (const auto& r : traffic.bytesIn.runs()) copies.add(r.tiles, cycles);
    b.exchange(name, from, {to}, traffic, copies);
  }

  // A second copy of the weights, laid out for slicing.
  Tensor arranged(const Tensor& weights, int64_t elements) const {
    const Tensor sliceable = m_b.buffer(m_p.type, "sliceable", evenly(elements), MemoryCategory::Rearrangement);
    rearrange(m_b, "rearrangeWeights", {weights}, sliceable, elements, elements);
    return sliceable;
  }

  // The weights of a layer's backward product: the weights of the forward product are transposed block by block on their own tiles, in equal
  // shares, and then sent to the tiles where this product needs them.
  Tensor transposed(const Tensor& weights) const {
    const TransposeCost t = weightTransposeCost(m_b.tile(), m_whole, m_form, m_plan);
    if (t.elements == 0) return weights;
    const Tensor blocks = m_b.buffer(m_p.type, "blocks", evenly(t.elements), MemoryCategory::Rearrangement),
                 turned = m_b.buffer(m_p.type, "transposed", evenly(t.elements), MemoryCategory::Rearrangement);
    Superstep step(m_b, "TransposeWeights");
    for (const auto& r : evenly(1).runs())
      if (r.value > 0) step.add(t.spec, t.cost, r.tiles);
    step.execute({weights}, {blocks});
    rearrange(m_b, "transposeWeights", {blocks}, turned, t.elements, 0,
              [&](const PerTile& bytesIn) { return weightPairsOf(weights).fromShares(weights, bytesIn); });
    return turned;
  }

  Tensor takeSlice(const OpBuilder& b, const Tensor& x, const Tensor& sliceable, const SliceCosts& slices) {
    const Tensor taken = b.buffer(m_p.type, "weightSlice", evenly(slices.weightSlice), MemoryCategory::Rearrangement);
    Superstep step(b, "DynamicSlice");
    for (const auto& r : evenly(1).runs())
      for (const int64_t n : {slices.weightSlice, slices.inputSlice})
        if (r.value > 0 && n > 0)
          step.add(codelets::dynamicSlice1DSpec(codelets::SliceDirection::Slice, m_p.type),
                   codelets::dynamicSlice1D(b.tile(), codelets::SliceDirection::Slice, m_p.type, n, 1), r.tiles);
    step.execute({sliceable, x}, {taken});
    return taken;
  }

  // One iteration, or the whole product without serial slices: brings the operands to their tiles, computes the partial products
  // and reduces them into `out`. `taken`: the weights of the iteration.
  void slice(const OpBuilder& b, const Tensor& given, const Tensor& taken, const Tensor& out) {
    const RearrangeCosts anew = rearrangeCosts(m_p, m_form, m_plan);
    Tensor x = given;
    if (anew.operandElements > 0) {
      x = b.buffer(m_p.type, "operands", evenly(anew.operandElements), MemoryCategory::Rearrangement);
      rearrange(b, "rearrangeOperands", {given, taken}, x, anew.operandElements, anew.operandCycles,
                [&](const PerTile& bytesIn) { return operandPairs(given, taken, anew, bytesIn); });
    }
    const PerTile expanded = bytes(&PartBytes::transformed), zeroed = bytes(&PartBytes::zeroed);
    const Tensor input = b.buffer(m_p.type, "in", bytes(&PartBytes::held), MemoryCategory::Message);
    std::vector<Tensor> buffers{input};
    Traffic traffic = inputTraffic(given, anew.input);
    PerTile copies;
    std::vector<Tensor> from{x, taken};
    if (m_plan.batchSplit * m_plan.fieldSplit[0] * m_plan.fieldSplit[1] > 1) {
      traffic.add(weightTraffic(taken, anew.weights));
      buffers.push_back(b.buffer(m_p.type, "weights", bytes(&PartBytes::weightsPadded), MemoryCategory::Rearrangement, true));
    }
    for (const auto& r : expanded.runs())
      if (r.value > 0) copies.add(r.tiles, arrangeCycles(b.tile(), m_p, {.transformed = r.value}));
    for (const auto& r : zeroed.runs())
      if (r.value > 0) copies.add(r.tiles, arrangeCycles(b.tile(), m_p, {.zeroed = r.value}));
    if (m_form.expansion > 1) buffers.push_back(b.buffer(m_p.type, "expanded", expanded, MemoryCategory::Rearrangement));
    // Each operand obeys the sending law by itself, but the sum of small operands may violate it.
    PerTile holders = m_b.layoutOf(given).elementsByTile();
    holders.add(m_b.layoutOf(taken).elementsByTile());
    const int64_t sent = traffic.bytesOut.sum();
    graph::obeySendingLaw(traffic, holders);
    if (traffic.bytesOut.sum() != sent && !graph::sendersAgree(traffic.pairs, traffic.bytesOut)) traffic.pairs.clear();
    b.exchange("transform", from, buffers, traffic, copies, b.tile().workers); // elements at strides: one run per worker
    std::vector<Tensor> reads = buffers;
    if (anew.operandElements == 0) reads.push_back(x); // a rearranged operand is completely in the buffers
    reads.push_back(taken);
    if (ways() > 1 || m_p.partials != m_p.result()) {
      const Tensor partials = b.buffer(m_p.partials, "partials", bytes(&PartBytes::partials), MemoryCategory::Variable, true);
      convolve(b, reads, {partials});
      if (ways() > 1)
        reducePartials(b, partials, out);
      else
        castPartials(b, partials, out);
    } else {
      std::vector<Tensor> made{out};
      if (const PerTile filling = bytes(&PartBytes::filling); filling.sum() > 0)
        made.push_back(b.buffer(m_p.partials, "fillingRows", filling, MemoryCategory::Rearrangement));
      convolve(b, reads, made);
    }
  }

  struct Cell {
    ConvPart part;
    ConvCell spans;
    Box input; // of [N, C, H, W]
  };

public:
  // The numbers, cell by cell.
  HostKernel cells() const {
    std::vector<ConvCell> list;
    for (const Cell& c : m_cellList)
      if (!idle(c.part)) list.push_back(c.spans);
    return cellwiseConvolution(m_whole, m_plan, m_form, std::move(list));
  }

private:
  int64_t ways() const { return m_plan.partialSums(); }
  static std::pair<int64_t, int64_t> range(int64_t extent, int64_t grain, int64_t split, int64_t i) {
    const int64_t part = roundUp(ceilDiv(extent, split), grain);
    return {std::min(extent, i * part), std::min(extent, (i + 1) * part)};
  }

  void split() {
    const auto& pl = m_plan;
    if (m_p.product) {
      for (int64_t g = 0; g < pl.groupSplit; ++g)
        for (int64_t h = 0; h < pl.fieldSplit[0]; ++h)
          for (int64_t w = 0; w < pl.fieldSplit[1]; ++w)
            for (int64_t i = 0; i < pl.inSplit; ++i)
              for (int64_t n = 0; n < pl.batchSplit; ++n)
                for (int64_t o = 0; o < pl.outSplit; ++o) addCell(n, g, o, h, w, i, 0);
      return;
    }
    for (int64_t n = 0; n < pl.batchSplit; ++n)
      for (int64_t g = 0; g < pl.groupSplit; ++g)
        for (int64_t o = 0; o < pl.outSplit; ++o)
          for (int64_t h = 0; h < pl.fieldSplit[0]; ++h)
            for (int64_t w = 0; w < pl.fieldSplit[1]; ++w)
              for (int64_t i = 0; i < pl.inSplit; ++i)
                for (int64_t k = 0; k < pl.kernelSplit[0] * pl.kernelSplit[1]; ++k) addCell(n, g, o, h, w, i, k);
  }

  void addCell(int64_t n, int64_t g, int64_t o, int64_t h, int64_t w, int64_t i, int64_t k) {
    const auto batch = range(m_p.batch, 1, m_plan.batchSplit, n),
               groups = range(m_form.groups, m_form.groupGrain, m_plan.groupSplit, g),
               outs = range(m_form.outChannels, m_form.outGrain, m_plan.outSplit, o),
               ins = range(m_form.inChannels, m_form.inGrain, m_plan.inSplit, i);
    const std::pair<int64_t, int64_t> field[2] = {range(m_p.out(0), m_form.rowGrain, m_plan.fieldSplit[0], h),
                                                  range(m_p.out(1), 1, m_plan.fieldSplit[1], w)},
                                      kernel[2] = {range(m_p.kernel[0], 1, m_plan.kernelSplit[0], k / m_plan.kernelSplit[1]),
                                                   range(m_p.kernel[1], 1, m_plan.kernelSplit[1], k % m_plan.kernelSplit[1])};
    Cell c;
    c.part = {batch.second - batch.first,       groups.second - groups.first, field[0].second - field[0].first,
              field[1].second - field[1].first, outs.second - outs.first,     ins.second - ins.first};
    if (m_form.taps > 1) c.part.kernel = {kernel[0].second - kernel[0].first, kernel[1].second - kernel[1].first};
    auto span = [](const std::pair<int64_t, int64_t>& r) { return ConvCell::Span{r.first, r.second}; };
    c.spans = {
        span(batch), span(groups), span(field[0]), span(field[1]), span(outs), span(ins), {span(kernel[0]), span(kernel[1])}};
    // Input channels: joined groups are neighbours; expanded channels are taps of the same original channel.
    const int64_t perGroup = m_form.inChannels / m_form.expansion; // original channels of one (joined) group
    const int64_t firstIn = ins.first / m_form.expansion, lastIn = ceilDiv(ins.second, m_form.expansion);
    c.input.dims = {
        {batch.first, batch.second}, {groups.first * perGroup + firstIn, (groups.second - 1) * perGroup + lastIn}, {}, {}};
    for (std::size_t d = 0; d < 2; ++d) {
      const int64_t begin = field[d].first * m_p.stride[d] - m_p.padLow[d] + m_p.dilation[d] * kernel[d].first;
      const int64_t end = (field[d].second - 1) * m_p.stride[d] - m_p.padLow[d] + m_p.dilation[d] * (kernel[d].second - 1) + 1;
      c.input.dims[2 + d] = {std::clamp<int64_t>(begin, 0, m_p.in[d]), std::clamp<int64_t>(end, 0, m_p.in[d])};
    }
    if (c.part.batch * c.part.groups * c.part.rows * c.part.columns * c.part.outChannels * c.part.inChannels * c.part.kernel[0] *
            c.part.kernel[1] ==
        0) {
      c.part = {0, 0, 0, 0, 0, 0, {0, 0}};
      c.input.dims = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    }
    m_cellList.push_back(std::move(c));
  }

  int64_t tileOf(std::size_t cell) const { return m_b.tileRange().begin + (m_first + int64_t(cell)) % m_b.tiles(); }
  int64_t cellOn(int64_t tile) const { return (tile - m_b.tileRange().begin - m_first + m_b.tiles()) % m_b.tiles(); }
  static bool idle(const ConvPart& part) { return part.batch == 0; }

  PerTile bytes(int64_t PartBytes::*which) const {
    std::vector<int64_t> byTile(static_cast<std::size_t>(m_b.tiles()), 0);
    // Most cells have the same part as the previous one.
    const ConvPart* last = nullptr;
    int64_t bytes = 0;
    for (std::size_t c = 0; c < m_cellList.size(); ++c) {
      const ConvPart& part = m_cellList[c].part;
      if (idle(part)) continue;
      if (!last || part != *last) bytes = roundUp(bytesOf(m_p, m_form, part).*which, 4);
      last = &part;
      byTile[std::size_t(tileOf(c) - m_b.tileRange().begin)] = bytes;
    }
    return m_b.perTile(byTile);
  }

  Distribution outputLayout(const Shape& shape) const {
    const std::array<int64_t, 4> extents{m_whole.batch, m_channels, m_whole.out(0), m_whole.out(1)};
    std::vector<int64_t> splits{m_plan.batchSplit, m_channelSplit, m_plan.fieldSplit[0], m_plan.fieldSplit[1]};
    spreadShares(extents, splits);
    // Channels stay in the whole groups of the cells that compute them, unless a reduction or a serial loop cuts them further.
    const bool whole = m_whole.groups == 1 && m_plan.serial() == 1 && splits[1] == m_channelSplit,
               wholeRows = splits[2] == m_plan.fieldSplit[0];
    const Distribution grid({m_whole.batch, m_channels, m_whole.out(0), m_whole.out(1)}, splits,
                            {1, whole ? m_form.outGrain : 1, wholeRows ? m_form.rowGrain : 1, 1}, m_first, m_b.tileRange());
    if (shape == grid.shape()) return grid;
    return grid.flattened(m_whole.product ? m_whole.groups : 0);
  }

  // After a reduction every tile has a share of the outputs: cuts the outputs further, along columns, channels and rows, into as
  // many parts as possible without more tiles.
  void spreadShares(const std::array<int64_t, 4>& extents, std::vector<int64_t>& splits) const {
    const auto parts = [&](std::size_t d, int64_t cut) { return ceilDiv(extents[d], ceilDiv(extents[d], splits[d] * cut)); };
    std::array<int64_t, 3> best{1, 1, 1}; // columns, channels, rows
    int64_t most = 0;
    for (int64_t rows = 1; rows <= std::min(ways(), extents[2]); ++rows)
      for (int64_t channels = 1; rows * channels <= ways() && channels <= extents[1]; ++channels) {
        const int64_t columns = std::min(extents[3], ways() / (rows * channels));
        const int64_t made = parts(3, columns) * parts(1, channels) * parts(2, rows);
        if (made > most) {
          most = made;
          best = {columns, channels, rows};
        }
      }
    splits[3] *= best[0];
    splits[1] *= best[1];
    splits[2] *= best[2];
  }

  void mapWeights(const Tensor& weights) {
    const auto id = weights.wholeVariable();
    if (!id.valid()) return;
    auto& v = m_b.graph().variable(id);
    if (v.mapped()) return;
    v.interleaved = true;
    v.distribution = weightLayout(weights.numElements(), elementBytes(weights)).laidFor(planKey());
  }
  Distribution weightLayout(int64_t elements, int64_t size) const {
    return Distribution({elements}, {m_cells}, {ceilDiv(kLeastConvShare, size)}, m_first, m_b.tileRange());
  }
  uint64_t planKey() const { return graph::PairKey(0).add(cellKey(m_whole, m_p, m_plan, m_form)).hash() | 1; }

  // The senders are the tiles that hold the operand, either as given or rearranged.
  Traffic inputTraffic(const Tensor& x, bool isAnew) {
    Traffic t = inputTrafficOf(x, !isAnew && isInputInOrder());
    if (!isAnew || t.bytesIn.empty() || !m_b.graph().keepsPairs()) return t;
    const Distribution held = inputAnew().shares(int64_t(m_cellList.size()), m_first, m_b.tileRange());
    graph::PairKey key(m_b.tileRange().begin);
    t.pairs = graph::remembered(key.add(6).add(held).add(t.bytesIn).add(cellKey(m_whole, m_p, m_plan, m_form)), [&] {
      graph::PlannedPairs pairs(held, t.bytesIn);
      takeInputs(pairs, inputAnew());
      return pairs.finish();
    });
    if (!graph::sendersAgree(t.pairs, t.bytesOut)) t.pairs.clear();
    return t;
  }
  // Serial slices of groups or input channels read different channels.
  bool isInputInOrder() const { return m_plan.groupSerial * m_plan.inSerial == 1 && m_options.inputInOrder; }
  AnewOrder inputAnew() const { return {m_p.batch, m_p.groups, m_p.inChannels, m_p.in, m_form.inGrain}; }

  // Every tile takes its shares of the rearranged operands: of the input, and of the weights that it needs.
  graph::SharedPairs operandPairs(const Tensor& input, const Tensor& weights, const RearrangeCosts& anew,
                                  const PerTile& bytesIn) const {
    const AnewOrder to = inputAnew();
    const int64_t ofInput = anew.input ? to.elements() : 0,
                  ofWeights = anew.weights ? m_p.groups * m_p.inChannels * m_p.outChannels * m_p.kernel[0] * m_p.kernel[1] : 0;
    PerTile inputIn, weightsIn;
    for (const auto& r : bytesIn.runs()) {
      const int64_t share =
          int64_t(double(r.value / 4) * double(ofInput) / double(std::max<int64_t>(1, ofInput + ofWeights)) + 0.5) * 4;
      inputIn.add(r.tiles, share);
      weightsIn.add(r.tiles, r.value - share);
    }
    graph::SharedPairs pairs;
    if (inputIn.sum() > 0) {
      pairs = inputPairs(input, to, inputIn);
      if (pairs.empty()) return {};
    }
    if (weightsIn.sum() == 0) return pairs;
    const graph::SharedPairs more = weightPairs(weights, bytes(&PartBytes::weights), weightsIn, false);
    if (more.empty() || pairs.size() + more.size() > graph::kKeptPairRuns) return {};
    pairs.add(more);
    return pairs;
  }
  graph::SharedPairs inputPairs(const Tensor& input, const AnewOrder& to, const PerTile& bytesIn) const {
    const Distribution source = m_b.layoutOf(input), shares = to.shares(int64_t(m_cellList.size()), m_first, m_b.tileRange());
    const ConvInputOrder order(m_whole, m_options.inputPlace, input.shape(), source);
    if (!isInputInOrder() || (m_options.arrangeInput && !m_options.inputPlace.boxOf) || !order.isKnown()) return {};
    // The last tiles may have no share although the plan counts bytes for them. This is accepted for at most 1 % of the tiles.
    if ((int64_t(m_cellList.size()) - shares.cells()) * 100 > int64_t(m_cellList.size())) return {};
    const auto make = [&] {
      graph::PlannedPairs pairs(source, bytesIn);
      for (int64_t c = 0; c < int64_t(m_cellList.size()) && !pairs.failed(); ++c) {
        pairs.receiver(tileOf(std::size_t(c)));
        to.forEachBox(shares.cell(std::min(c, shares.cells() - 1)).dims[0], [&](const Box& box) { order.take(pairs, box); });
      }
      return pairs.finish();
    };
    graph::PairKey key(m_b.tileRange().begin);
    return graph::remembered(
        key.add(7).add(source).add(bytesIn).add(cellKey(m_whole, m_p, m_plan, m_form)).add(m_options.inputPlace.key), make);
  }
  // Every tile of the result takes its cell from the tiles that made it.
  graph::SharedPairs resultPairs(const Distribution& result, const PerTile& bytesIn) const {
    const AnewOrder made(m_whole.batch, m_whole.groups, m_whole.outChannels, {m_whole.out(0), m_whole.out(1)}, m_form.outGrain);
    const Distribution source = made.shares(int64_t(m_cellList.size()), m_first, m_b.tileRange());
    const Distribution& cells = result.grid() ? *result.grid() : result;
    const auto make = [&] {
      graph::PlannedPairs pairs(source, bytesIn);
      for (int64_t c = 0; c < cells.cells() && !pairs.failed(); ++c) {
        pairs.receiver(cells.tileOf(c));
        made.take(pairs, cells.cell(c));
      }
      return pairs.finish();
    };
    graph::PairKey key(m_b.tileRange().begin);
    return graph::remembered(key.add(8).add(source).add(cells).add(bytesIn).add(cellKey(m_whole, m_p, m_plan, m_form)), make);
  }

  Traffic inputTrafficOf(const Tensor& x, bool withPairs) {
    const Distribution source = m_b.layoutOf(x);
    const Shape grid{m_whole.batch, m_whole.groups * m_whole.inChannels, m_whole.in[0], m_whole.in[1]};
    if (source.shape() == grid) {
      std::vector<Box> boxes;
      for (const Cell& c : m_cellList) boxes.push_back(c.input);
      Traffic t = m_b.trafficTo(source, boxes, m_first, elementBytes(m_p.type));
      if (!withPairs || m_options.arrangeInput) t.pairs.clear(), t.linkPairs.clear();
      return t;
    }
    std::vector<int64_t> elements(static_cast<std::size_t>(m_b.tiles()), 0);
    for (std::size_t c = 0; c < m_cellList.size(); ++c)
      elements[std::size_t(tileOf(c) - m_b.tileRange().begin)] = m_cellList[c].input.volume();
    const ConvInputOrder order(m_whole, m_options.inputPlace, x.shape(), source);
    graph::Takers takers;
    if (m_b.graph().keepsPairs()) {
      std::vector<Box> boxes;
      for (const Cell& c : m_cellList) boxes.push_back(c.input);
      takers.wanted = graph::noteOf(grid, boxes);
    }
    const bool isPlaced = m_options.inputPlace.boxOf || !m_options.arrangeInput;
    if (withPairs && isPlaced && order.isKnown()) {
      takers.key = cellKey(m_whole, m_p, m_plan, m_form);
      takers.key.insert(takers.key.end(), m_options.inputPlace.key.begin(), m_options.inputPlace.key.end());
      takers.take = [&](graph::PlannedPairs& pairs) { takeInputs(pairs, order); };
    }
    Traffic t = m_b.trafficBlind(source, m_b.perTile(elements), elementBytes(m_p.type), takers);
    if (!withPairs) t.pairs.clear(), t.linkPairs.clear();
    t.sharedIn = sharedOnBus(
        [&](const Cell& a, const Cell& b) {
          return double(a.input.intersection(b.input).volume()) / double(std::max<int64_t>(1, a.input.volume()));
        },
        t.bytesIn);
    return t;
  }

  template<class Order> void takeInputs(graph::PlannedPairs& pairs, const Order& order) const {
    const Cell* before = nullptr;
    for (std::size_t c = 0; c < m_cellList.size() && !pairs.failed(); ++c) {
      const Cell& cell = m_cellList[c];
      if (idle(cell.part) || !pairs.wants(tileOf(c))) continue;
      if (before && before->input.dims == cell.input.dims && pairs.same(tileOf(c))) continue;
      pairs.receiver(tileOf(c));
      order.take(pairs, cell.input);
      before = &cell;
    }
  }

  // Bytes received by each tile that its neighbour on the exchange bus also receives.
  template<class F> PerTile sharedOnBus(F shareOf, const PerTile& received) const {
    std::vector<int64_t> shared(static_cast<std::size_t>(m_b.tiles()), 0);
    const std::vector<int64_t> in = received.dense(m_b.graph().machine().tiles());
    for (std::size_t c = 0; c + 1 < m_cellList.size(); ++c) {
      const Cell &a = m_cellList[c], &b = m_cellList[c + 1];
      const int64_t left = tileOf(c), right = tileOf(c + 1);
      if (idle(a.part) || idle(b.part) || left % 2 != 0 || graph::busPartner(left) != right) continue;
      const int64_t both = int64_t(double(std::min(in[std::size_t(left)], in[std::size_t(right)])) * shareOf(a, b)) / 8 * 8;
      for (int64_t tile : {left, right}) shared[std::size_t(tile - m_b.tileRange().begin)] = both;
    }
    return m_b.perTile(shared);
  }

  // Bytes of one iteration's weights on each tile. The weights may be parts of variables (a table whose parts are used by successive products).
  // Then each part is on all tiles of its variable, because PopART lays such a variable out for the products of its parts
  // (InputMultiCreatorCandidate).
  PerTile sentOf(const Tensor& weights) const {
    const int64_t needed = m_p.groups * m_p.inChannels * m_p.outChannels * m_p.kernel[0] * m_p.kernel[1];
    int64_t elements = 0;
    for (const auto id : weights.variables()) elements += std::as_const(m_b.graph()).variable(id).elements();
    const double share = std::min(1.0, double(needed) / double(std::max<int64_t>(1, elements)));
    PerTile sent;
    for (const auto id : weights.variables())
      for (const auto& r : m_b.graph().variable(id).bytesByTile().runs()) sent.add(r.tiles, int64_t(double(r.value) * share));
    return sent;
  }

  // Pairs of a stage of the reduction: every tile takes its share from each other tile of its group.
  graph::Pairs partialPairs(std::size_t index) const {
    if (!m_b.graph().keepsPairs()) return {};
    const int64_t size = elementBytes(m_p.partials);
    const PerTile partials = bytes(&PartBytes::partials);
    std::vector<GroupMember> members;
    for (const auto& r : partials.runs()) {
      const ConvReduceStages stages = reduceStages(r.value / size, ways());
      const int64_t fanIn = stages[index].fanIn, take = stages[index].share * size;
      int64_t apart = 1; // distance between the partial sums that earlier stages left
      for (std::size_t s = 0; s < index; ++s) apart *= stages[s].fanIn;
      const int64_t filling = roundUp(take * (fanIn - 1), 4) - take * (fanIn - 1);
      for (int64_t tile = r.tiles.begin; tile < r.tiles.end; ++tile) {
        const ConvCellPlace place = placeOf(m_plan, m_p.product, cellOn(tile));
        const int64_t group = place.partial / (apart * fanIn) * apart + place.partial % apart;
        members.push_back({tile, place.outputs * ways() + group, fanIn, take, filling});
      }
    }
    return pairsWithinGroups(std::move(members));
  }

  graph::SharedPairs weightPairs(const Tensor& weights, const PerTile& slices, const PerTile& bytesIn, bool isAnew) const {
    if (!m_b.graph().keepsPairs()) return {};
    ConvWeightPairs pairs = weightPairsOf(weights);
    pairs.isMade = isAnew || weights.wholeVariable() != m_given;
    return pairs.to(weights, slices, bytesIn);
  }
  ConvWeightPairs weightPairsOf(const Tensor& weights) const {
    ConvWeightPairs pairs{m_b,
                          m_p,
                          m_form,
                          m_plan,
                          weightLayout(weights.numElements(), elementBytes(weights)),
                          planKey(),
                          cellKey(m_whole, m_p, m_plan, m_form)};
    pairs.isInOrder = !m_options.arrangeWeights;
    if (m_options.weightsPlace.boxOf) pairs.place = &m_options.weightsPlace;
    for (std::size_t c = 0; c < m_cellList.size(); ++c)
      pairs.cells.push_back({idle(m_cellList[c].part) ? nullptr : &m_cellList[c].spans, tileOf(c)});
    return pairs;
  }

  Traffic weightTraffic(const Tensor& weights, bool isAnew) {
    // Tiles that share weights hold them in equal shares of at least 128 bytes and fetch the rest from each other.
    const int64_t sharing = m_plan.batchSplit * m_plan.fieldSplit[0] * m_plan.fieldSplit[1];
    Traffic t;
    const PerTile slices = bytes(&PartBytes::weights);
    for (const auto& r : slices.runs()) {
      const int64_t holders = convWeightHolders(r.value, sharing);
      t.bytesIn.add(r.tiles, roundUp(r.value - r.value / sharing, 4));
      t.messagesIn.add(r.tiles, std::max<int64_t>(1, holders - (holders == sharing)));
    }
    t.sharedIn = sharedOnBus(
        [](const Cell& a, const Cell& b) {
          return double(a.spans.groups.begin == b.spans.groups.begin && a.spans.outs.begin == b.spans.outs.begin &&
                        a.spans.ins.begin == b.spans.ins.begin && a.spans.kernel == b.spans.kernel);
        },
        t.bytesIn);
    for (const auto& r : sentOf(weights).runs()) { // multicast: data for many tiles leaves once
      t.bytesOut.add(r.tiles, roundUp(r.value, 4));
      t.messagesOut.add(r.tiles, 1);
    }
    t.pairs = weightPairs(weights, slices, t.bytesIn, isAnew);
    note(t, weights, isAnew ? graph::LayoutNote{"groups of channels, laid out anew", m_plan.tiles()} : heldNote(weights),
         weightsWanted());
    if (!graph::sendersAgree(t.pairs, t.bytesOut)) t.pairs.clear();
    return t;
  }

  // Records for the report the layout that an operand has and the layout that the plan's tiles need.
  void note(Traffic& t, const Tensor& of, graph::LayoutNote held, graph::LayoutNote wanted) const {
    if (m_b.graph().keepsPairs() && t.bytesIn.sum() > 0)
      t.notes.push_back({{}, of.numElements(), t.bytesIn.sum(), std::move(held), std::move(wanted)});
  }
  graph::LayoutNote heldNote(const Tensor& of) const {
    const auto id = of.wholeVariable();
    const PerTile* made = id.valid() ? &std::as_const(m_b.graph()).variable(id).extraBytes : nullptr;
    if (made && !made->empty()) return {"equal shares", made->activeTiles()}; // a buffer of this product has no layout
    return graph::noteOf(m_b.layoutOf(of));
  }
  graph::LayoutNote weightsWanted() const {
    const std::array<std::pair<const char*, int64_t>, 4> cuts{
        {{m_p.product ? "matrices" : "groups", m_plan.groupSplit},
         {m_p.product ? "rows" : "input channels", m_plan.inSplit},
         {m_p.product ? "columns" : "output channels", m_plan.outSplit},
         {"taps of the kernel", m_plan.kernelSplit[0] * m_plan.kernelSplit[1]}}};
    graph::LayoutNote wanted{{}, m_plan.tiles()};
    for (const auto& [name, parts] : cuts)
      if (parts > 1) wanted.cut += (wanted.cut.empty() ? "" : ", ") + std::string(name) + " in " + std::to_string(parts);
    if (wanted.cut.empty()) wanted.cut = "whole";
    return wanted;
  }

  void convolve(const OpBuilder& b, const std::vector<Tensor>& reads, const std::vector<Tensor>& results) {
    Superstep step(b, "Convolve");
    std::map<ConvPart, std::pair<codelets::VertexSpec, codelets::VertexCost>>
        costs; // at most 64 different parts: each split has a full and a last size
    for (std::size_t c = 0; c < m_cellList.size();) {
      const ConvPart& part = m_cellList[c].part;
      std::size_t end = c + 1;
      while (end < m_cellList.size() && m_cellList[end].part == part && tileOf(end) == tileOf(end - 1) + 1) ++end;
      if (!idle(part)) {
        const auto [it, added] = costs.try_emplace(part);
        if (added) it->second = {partialSpec(m_b.tile(), m_p, m_form, part), partialCost(m_b.tile(), m_p, m_form, part)};
        step.add(it->second.first, it->second.second, {tileOf(c), tileOf(c) + int64_t(end - c)});
      }
      c = end;
    }
    step.execute(reads, results);
  }

  void reducePartials(const OpBuilder& builder, const Tensor& partials, const Tensor& out) {
    // In every stage a tile takes its share of the outputs from the other tiles of its group; after the last stage each tile has
    // its final share.
    const OpBuilder b = builder.within("Reduce", "reduce");
    const std::size_t stages = reduceStages(1, ways()).size();
    Tensor from = partials;
    for (std::size_t stage = 0; stage + 1 < stages; ++stage) from = reduceStage(b, from, {}, stage);
    reduceStage(b, from, out, stages - 1);
  }

  // Writes into `out`, or into new partial sums if `out` is invalid.
  Tensor reduceStage(const OpBuilder& b, const Tensor& from, Tensor out, std::size_t index) {
    const int64_t size = elementBytes(m_p.partials);
    Traffic t;
    PerTile outputs, gatheredBytes, copies, sums;
    int64_t fanIn = 1;
    for (const auto& r : bytes(&PartBytes::partials).runs()) {
      const ConvReduceStage stage = reduceStages(r.value / size, ways())[index];
      const int64_t in = roundUp(stage.share * (stage.fanIn - 1) * size, 4);
      fanIn = stage.fanIn;
      outputs.add(r.tiles, stage.share);
      sums.add(r.tiles, stage.share * size);
      gatheredBytes.add(r.tiles, roundUp(stage.share * fanIn * size, 4));
      copies.add(r.tiles, codelets::memcpyCycles(b.tile(), stage.share * size, 8).cycles.value()); // of the tile's own share
      t.bytesIn.add(r.tiles, in);
      t.bytesOut.add(r.tiles, in);
      t.messagesIn.add(r.tiles, fanIn - 1);
      t.messagesOut.add(r.tiles, fanIn - 1);
    }
    t.pairs = partialPairs(index);
    note(t, from, {"partial sums of the same outputs on " + std::to_string(fanIn) + " tiles each", t.bytesIn.activeTiles()},
         {"sums in equal shares", t.bytesIn.activeTiles()});
    const Tensor gathered = b.buffer(m_p.partials, "partialsIn", gatheredBytes, MemoryCategory::Message);
    b.exchange("gatherPartials", {from}, {gathered}, t, copies);
    const bool last = out.valid();
    if (!last) out = b.buffer(m_p.partials, "partialSums", sums, MemoryCategory::Variable);
    const ElementType type = last ? m_p.result() : m_p.partials;
    Superstep step(b, last ? "Reduce" : "ReduceStage" + std::to_string(index));
    step.forEachRun(outputs, [&](int64_t n) {
      return std::pair(codelets::convReduceSingleInputSpec(type, m_p.partials),
                       codelets::convReduceSingleInput(b.tile(), type, m_p.partials, n, fanIn));
    });
    step.execute({gathered}, {out});
    return out;
  }

  void castPartials(const OpBuilder& b, const Tensor& partials, const Tensor& out) {
    Superstep step(b, "Cast");
    step.forEachRun(bytes(&PartBytes::partials), [&](int64_t n) {
      return std::pair(codelets::convCastSpec(m_p.partials, m_p.result()),
                       codelets::convCast(m_b.tile(), m_p.partials, m_p.result(), n / elementBytes(m_p.partials)));
    });
    step.execute({partials}, {out});
  }

  const OpBuilder& m_b;
  const ConvOptions& m_options;
  const ConvParams m_whole, m_p; // the whole problem, and one serial slice
  const ConvPlan& m_plan;
  ConvForm m_form;
  graph::VariableId m_given; // the weights
  std::vector<Cell> m_cellList;
  int64_t m_channelSplit = 1, m_channels = 1, m_cells = 1, m_first = 0;
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
  ConvLowering lowering(b, withPartials(params, options), plan, options);
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

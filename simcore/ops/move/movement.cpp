#include "simcore/ops/move/movement.h"

#include "reports/core/text.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/slice.h"
#include "simcore/graph/pair_memory.h"
#include "simcore/graph/planned_pairs.h"
#include "simcore/numerics/layout.h"
#include "simcore/ops/move/single_elements.h"
#include "simcore/ops/plan/exchange_estimate.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::ops {

using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;

namespace {

// count x part / whole, rounded down, in 128 bits: for a hostile model the product of two counts exceeds 63 bits.
int64_t proportion(int64_t count, int64_t part, int64_t whole) {
  __extension__ using Wide = __int128;
  return int64_t(Wide(count) * part / whole);
}

// Pairs: every tile takes the elements of its part of the result.
graph::Takers takersOf(const Tensor& input, const Distribution& layout, const Shape& shape, const Movement& movement) {
  graph::Takers takers;
  takers.wanted = graph::noteOf(layout);
  if (!movement.placeOf || input.numElements() != numerics::elementCount(shape)) return takers;
  graph::PairKey key(layout.tiles().begin);
  takers.key = key.add(9).add(layout).add(shape).add(input.shape()).add(movement.placeKey).numbers();
  takers.take = [&input, &layout, &shape, &movement](graph::PlannedPairs& pairs) {
    pairs.inOrderOf(layout, [&](reports::Range<int64_t> elements) {
      graph::forEachRowBox(elements, shape, [&](const graph::Box& box) { pairs.take(input.shape(), movement.placeOf(box)); });
    });
  };
  return takers;
}

// Pairs for an input with the leading dimensions of the result: every tile takes the elements at the position of its part of the
// result.
graph::Takers partTakers(const Tensor& of, const Distribution& layout, const Shape& shape) {
  graph::Takers takers;
  if (of.rank() > shape.size() || !std::equal(of.shape().begin(), of.shape().end(), shape.begin())) return takers;
  const int64_t input = of.numElements(), all = numerics::elementCount(shape);
  graph::PairKey key(layout.tiles().begin);
  takers.key = key.add(11).add(layout).add(input).add(all).numbers();
  takers.wanted = graph::noteOf(layout);
  takers.take = [input, all, &layout](graph::PlannedPairs& pairs) {
    pairs.inOrderOf(layout, [&](reports::Range<int64_t> elements) {
      const int64_t begin = std::min(input - 1, proportion(elements.begin, input, all));
      pairs.take(
          reports::Range<int64_t>{begin, std::max(begin + 1, std::min(input, proportion(elements.end - 1, input, all) + 1))});
    });
  };
  return takers;
}

} // namespace

Tensor move(const OpBuilder& builder, const std::string& name, const std::vector<Tensor>& inputs, ElementType type,
            const Shape& shape, int64_t runElements, const Movement& movement) {
  const OpBuilder b = builder.within(name, name);
  const int64_t elements = numerics::elementCount(shape), size = elementBytes(type);
  const bool bySingles = runElements <= 1 && movement.blockRows * movement.blockColumns == 0;
  const Distribution layout = bySingles ? layoutOfSingleElements(b, elements, type) : b.linear(elements, type);
  const Tensor out = b.output(type, shape, "out", layout);
  Traffic traffic;
  int64_t available = 0;
  for (const Tensor& t : inputs) available += t.numElements();
  const PerTile held = layout.elementsByTile();
  for (const Tensor& t : inputs) {
    if (t.numElements() == 0) continue;
    PerTile share; // each input provides its part of a tile's elements
    for (const auto& r : held.runs()) share.add(r.tiles, std::max<int64_t>(1, proportion(r.value, t.numElements(), available)));
    traffic.add(b.trafficBlind(b.layoutOf(t), share, size, takersOf(t, layout, shape, movement)));
  }
  PerTile bytes;
  for (const auto& r : held.runs()) bytes.add(r.tiles, r.value * size);
  const Tensor received = b.buffer(type, "in", bytes, MemoryCategory::Message);
  int64_t cycles = 0;
  b.exchange("gather", inputs, {received}, traffic);
  Superstep step(b, "rearrange");
  step.copies();
  const int64_t rowBytes = std::max<int64_t>(1, runElements) * size, alignment = rowBytes % 8 == 0   ? 8
                                                                                 : rowBytes % 4 == 0 ? 4
                                                                                 : rowBytes % 2 == 0 ? 2
                                                                                                     : 1;
  const int64_t block = movement.blockRows * movement.blockColumns;
  for (const auto& r : held.runs()) {
    const int64_t runs = ceilDiv(r.value, std::max<int64_t>(1, runElements));
    const codelets::VertexCost cost =
        block > 0 ? codelets::transpose(b.tile(), type, movement.blockRows, movement.blockColumns, ceilDiv(r.value, block))
        : runElements <= 1 ? codelets::stridedCopy(b.tile(), type, r.value)
                           : codelets::copy2D(b.tile(), runs, std::min(rowBytes, r.value * size), alignment);
    step.add(block > 0          ? codelets::transposeSpec(type, true)
             : runElements <= 1 ? codelets::stridedCopySpec(type)
                                : codelets::copy2DSpec(alignment, runs),
             cost, r.tiles);
    cycles = std::max(cycles, cost.cycles.value());
  }
  b.recordPlan(block > 0          ? "blocks transposed"
               : runElements <= 1 ? "element by element"
                                  : "copies of runs",
               fmt::format("{} in runs of {} onto {}", reports::counted(elements, "element"), std::max<int64_t>(1, runElements),
                           reports::counted(held.activeTiles(), "tile")),
               {{"elements", elements}, {"run", std::max<int64_t>(1, runElements)}, {"tiles", held.activeTiles()}},
               {cycles + exchangeEstimate(b.machine(), bytes.max()), bytes.max()});
  std::vector<Tensor> reads = inputs;
  reads.push_back(received);
  step.execute(reads, {out});
  if (!movement.kernel) return out;
  HostKernel kernel = movement.kernel;
  if (b.byCells()) {
    std::vector<Distribution> from;
    for (const Tensor& t : inputs) from.push_back(b.layoutOf(t));
    kernel = cellwiseMove(kernel, std::move(from), movement.movable, layout, shape, movement.fill);
  }
  b.compute(inputs, {out}, std::move(kernel));
  return out;
}

namespace {
// Elements along a side of a block: a group of channels, or fewer if the extent is not a multiple of it (poplibs Rearrange.cpp:
// regroupTensor transposes groups of at least eight bytes).
int64_t sideOf(ElementType type, int64_t extent) {
  for (int64_t side = 16; side > 1; side /= 2)
    if (extent % side == 0 && codelets::hasFastTranspose(type, side, side)) return side;
  return 0;
}
} // namespace

Tensor transpose(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& order) {
  Shape shape;
  for (std::size_t d : order) shape.push_back(x.dim(d));
  int64_t kept = 1; // trailing dimensions that stay are copied as rows
  for (std::size_t d = order.size(); d-- > 0 && order[d] == d;) kept *= x.dim(d);
  HostKernel kernel;
  if (builder.withNumbers())
    kernel = [order](const std::vector<HostTensor>& in) { return std::vector<HostTensor>{numerics::transpose(in[0], order)}; };
  Movement movement{std::move(kernel)};
  movement.placeOf = [order](const graph::Box& box) {
    graph::Box of = box;
    for (std::size_t d = 0; d < order.size(); ++d) of.dims[order[d]] = box.dims[d];
    return of;
  };
  movement.placeKey.assign(order.begin(), order.end());
  if (kept == 1 && !order.empty()) {
    const int64_t rows = sideOf(x.elementType(), shape.back()), columns = sideOf(x.elementType(), x.dim(x.rank() - 1));
    if (rows > 0 && columns > 0) movement.blockRows = rows, movement.blockColumns = columns;
  }
  return move(builder, "transpose", {x}, x.elementType(), shape, kept, movement);
}

Tensor generate(const OpBuilder& builder, const std::string& name, const std::vector<Tensor>& inputs, ElementType type,
                const Shape& shape, int64_t cyclesPerElement, HostKernel kernel, PositionKernel cells) {
  const OpBuilder b = builder.within(name, name);
  const int64_t elements = std::max<int64_t>(1, numerics::elementCount(shape));
  const Distribution layout = b.linear(elements, type);
  const Tensor out = b.output(type, shape, "out", layout);
  Traffic traffic;
  PerTile received;
  const PerTile held = layout.elementsByTile();
  for (const Tensor& t : inputs) {
    PerTile share;
    for (const auto& r : held.runs()) share.add(r.tiles, std::max<int64_t>(1, ceilDiv(r.value * t.numElements(), elements)));
    traffic.add(b.trafficBlind(b.layoutOf(t), share, elementBytes(t), partTakers(t, layout, shape)));
    received.add(share, elementBytes(t));
  }
  std::vector<Tensor> reads = inputs;
  if (!received.empty()) {
    reads.push_back(b.buffer(type, "in", received, MemoryCategory::Message));
    b.exchange("gather", inputs, {reads.back()}, traffic);
  }
  codelets::VertexSpec spec = codelets::fillSpec(type);
  spec.name = "popops::" + name + "<" + numerics::elementTypeName(type) + ">";
  spec.kind = codelets::VertexKind::Worker;
  Superstep step(b, name);
  int64_t most = 0;
  for (const auto& r : held.runs()) {
    const int64_t workers = std::min<int64_t>(b.tile().workers, r.value), each = ceilDiv(r.value, workers);
    step.add(spec, {reports::Cycles(20 + each * cyclesPerElement), reports::Flops(each)}, r.tiles, workers);
    most = std::max(most, each);
  }
  b.recordPlan("a worker for each element",
               fmt::format("{} of {} cycles on {}", reports::counted(elements, "element"), cyclesPerElement,
                           reports::counted(held.activeTiles(), "tile")),
               {{"elements", elements}, {"cycles_per_element", cyclesPerElement}, {"tiles", held.activeTiles()}},
               {int64_t(b.tile().workers) * (20 + most * cyclesPerElement) +
                    (received.empty() ? 0 : exchangeEstimate(b.machine(), received.max())),
                received.max()});
  step.execute(reads, {out});
  if (b.byCells() && cells) kernel = cellwiseGenerate(std::move(cells), layout, shape, type);
  if (kernel) b.compute(inputs, {out}, std::move(kernel));
  return out;
}

} // namespace simcore::ops

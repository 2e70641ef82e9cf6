#include "simcore/ops/pool/pooling.h"

#include "simcore/ops/pool/pool_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace simcore::ops {

using graph::Box;
using reports::ceilDiv;

namespace {

struct PoolPlan : PlanEstimate {
  int64_t batch = 1, channels = 1, rows = 1, columns = 1; // splits
};

int64_t patch(const PoolParams& p, std::size_t d, int64_t outs, int64_t in) {
  return std::min(in, (outs - 1) * p.stride[d] + p.dilation[d] * (p.kernel[d] - 1) + 1);
}

codelets::PoolShape shapeOf(const PoolParams& p, int64_t batch, int64_t channels, int64_t rows, int64_t columns) {
  codelets::PoolShape s;
  s.rows = batch * rows;
  s.rowLength = columns;
  s.channels = channels;
  s.kernelRows = p.kernel[0];
  s.kernelColumns = p.kernel[1];
  return s;
}

// Tries all useful splits of batch, channel vectors and rows; columns use the remaining tiles.
PoolPlan planPool(const OpBuilder& b, const Tensor& x, const PoolParams& p) {
  const int64_t tiles = b.tiles(), vector = b.tile().vectorWidth(int(elementBytes(x)));
  const int64_t n = x.dim(0), c = x.dim(1), grains = ceilDiv(c, vector);
  Cheapest<PoolPlan> best;
  for (int64_t sb = 1; sb <= std::min(n, tiles); sb = sb < n ? std::min(n, sb * 2) : sb + 1)
    for (int64_t sc = 1; sb * sc <= tiles && sc <= grains; ++sc)
      for (int64_t sh = 1; sb * sc * sh <= tiles && sh <= p.out[0]; ++sh) {
        if (sc > 1 && ceilDiv(grains, sc) == ceilDiv(grains, sc - 1)) continue; // same part size with fewer tiles
        if (sh > 1 && ceilDiv(p.out[0], sh) == ceilDiv(p.out[0], sh - 1)) continue;
        const int64_t sw = std::min(p.out[1], tiles / (sb * sc * sh));
        const int64_t pb = ceilDiv(n, sb), pc = std::min(c, ceilDiv(grains, sc) * vector), ph = ceilDiv(p.out[0], sh),
                      pw = ceilDiv(p.out[1], sw);
        const int64_t in = pb * pc * patch(p, 0, ph, x.dim(2)) * patch(p, 1, pw, x.dim(3)) * elementBytes(x);
        PoolPlan plan;
        plan.batch = sb, plan.channels = sc, plan.rows = sh, plan.columns = ceilDiv(p.out[1], pw);
        plan.exchangeCycles =
            int64_t(b.machine().exchange.transferCycles(double(in))); // latency and barrier are equal for all plans
        plan.computeCycles =
            codelets::pooling(b.tile(), p.kind, codelets::PoolPass::Forward, x.elementType(), shapeOf(p, pb, pc, ph, pw))
                .cycles.value();
        best.offer(plan);
      }
  return best.plan();
}

void record(const OpBuilder& b, const PoolPlan& plan, int64_t inBytes) {
  b.recordPlan(
      "pool",
      fmt::format("batch/{} channels/{} field/{}x{} on {} tiles", plan.batch, plan.channels, plan.rows, plan.columns,
                  plan.batch * plan.channels * plan.rows * plan.columns),
      {{"partition", {{"batch", plan.batch}, {"channels", plan.channels}, {"rows", plan.rows}, {"columns", plan.columns}}},
       {"predicted", {{"total", plan.cycles()}}}},
      {plan.cycles(), inBytes});
}

} // namespace

Tensor pool(const OpBuilder& builder, const Tensor& x, const PoolParams& p, HostKernel kernel, Tensor* indices,
            const Tensor& places) {
  const OpBuilder b = builder.within("pool", "pool");
  const PoolPlan plan = planPool(b, x, p);
  const Shape shape{x.dim(0), x.dim(1), p.out[0], p.out[1]};
  const int64_t vector = b.tile().vectorWidth(int(elementBytes(x)));
  const int64_t cells = plan.batch * plan.channels * plan.rows * plan.columns;
  const Distribution layout(shape, {plan.batch, plan.channels, plan.rows, plan.columns}, {1, vector, 1, 1},
                            b.graph().nextStartTile(cells) % b.tiles(), b.tileRange());
  const Tensor out = b.output(x.elementType(), shape, "out", layout);

  std::vector<Box> boxes;
  std::vector<int64_t> needed(static_cast<std::size_t>(b.tiles()), 0); // elements
  for (int64_t c = 0; c < layout.cells(); ++c) {
    Box box = layout.cell(c);
    for (std::size_t d = 0; d < 2; ++d) {
      const auto o = box.dims[2 + d];
      const int64_t begin = o.begin * p.stride[d] - p.padLow[d],
                    end = (o.end - 1) * p.stride[d] - p.padLow[d] + p.dilation[d] * (p.kernel[d] - 1) + 1;
      box.dims[2 + d] = {std::clamp<int64_t>(begin, 0, x.dim(2 + d)), std::clamp<int64_t>(end, 0, x.dim(2 + d))};
    }
    needed[std::size_t(layout.tileOf(c) - b.tileRange().begin)] = box.volume();
    boxes.push_back(std::move(box));
  }
  const PerTile elements = b.perTile(needed);
  PerTile bytes;
  Traffic traffic;
  std::vector<Tensor> operands{x};
  if (places.valid()) operands.push_back(places);
  for (const Tensor& t : operands) {
    const Distribution source = b.layoutOf(t);
    traffic.add(b.trafficTo(source, t.shape(), boxes, layout.firstTile(), elements, elementBytes(t)));
    bytes.add(elements, elementBytes(t));
  }
  const Tensor in = b.buffer(x.elementType(), "in", bytes, reports::MemoryCategory::Message);
  b.exchange("gatherWindows", operands, {in}, traffic);

  Superstep step(b, "pool");
  std::map<std::vector<int64_t>, codelets::VertexCost> costs;
  for (int64_t c = 0; c < layout.cells(); ++c) {
    const Box box = layout.cell(c);
    const std::vector<int64_t> part{box.dims[0].size(), box.dims[1].size(), box.dims[2].size(), box.dims[3].size()};
    const auto s = shapeOf(p, part[0], part[1], part[2], part[3]);
    const auto [it, added] = costs.try_emplace(part);
    if (added) it->second = codelets::pooling(b.tile(), p.kind, codelets::PoolPass::Forward, x.elementType(), s);
    step.add(codelets::poolingSpec(p.kind, codelets::PoolPass::Forward, x.elementType(), s), it->second,
             {layout.tileOf(c), layout.tileOf(c) + 1});
  }
  std::vector<Tensor> results{out};
  if (indices) {
    *indices = b.output(ElementType::Int64, shape, "indices", layout);
    results.push_back(*indices);
  }
  std::vector<Tensor> reads = operands;
  reads.push_back(in);
  step.execute(reads, results);
  record(b, plan, bytes.max());
  if (!b.withNumbers()) return out;
  if (!kernel || b.byCells()) kernel = cellwiseGenerate(poolForward(p), layout, shape, x.elementType());
  b.compute({x}, {out}, std::move(kernel));
  if (indices) b.compute(operands, {*indices}, cellwiseGenerate(poolIndices(p), layout, shape, ElementType::Int64));
  return out;
}

} // namespace simcore::ops

#include "simcore/ops/reduce/scan.h"

#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/scan.h"
#include "simcore/numerics/reduce.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/plan/exchange_estimate.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;

namespace {

struct ScanPlan : PlanEstimate {
  int64_t rowCuts = 1, cuts = 1;
};

ScanPlan planScan(const arch::Machine& m, ElementType type, int64_t rows, int64_t length) {
  Cheapest<ScanPlan> best;
  for (int64_t rowCuts = 1;; rowCuts = std::min(rows, rowCuts * 2)) {
    for (int64_t cuts = 1; rowCuts * cuts <= m.tilesPerIpu && cuts <= length; cuts *= 2) {
      const int64_t each = ceilDiv(rows, rowCuts), stretch = ceilDiv(length, cuts), workers = m.tile.workers;
      ScanPlan plan;
      plan.rowCuts = rowCuts, plan.cuts = cuts;
      plan.computeCycles = workers * codelets::runningSum(m.tile, type, ceilDiv(each, workers), stretch).cycles.value();
      if (cuts > 1) {
        plan.exchangeCycles = exchangeEstimate(m, double(each * cuts * elementBytes(type)));
        plan.computeCycles += codelets::broadcastVectorOuter(m.tile, codelets::BinaryOp::Add, type, each, stretch).cycles.value();
      }
      best.offer(plan);
    }
    if (rowCuts >= std::min(rows, int64_t(m.tilesPerIpu))) break;
  }
  return best.plan();
}

// Sums each stretch, then adds the totals of earlier stretches; x and the layout are [rows, length].
HostKernel scanCells(const Distribution& layout, bool exclusive, bool reverse) {
  return oneResult([=](const std::vector<HostTensor>& in) {
    const Pieces x(in[0], layout);
    Pieces out(in[0].type(), layout);
    const int64_t cuts = layout.splits()[1];
    for (int64_t c = 0; c < layout.cells(); ++c) {
      HostTensor sums = numerics::cumulativeSum(x.piece(c), 1, exclusive, reverse).cast(ElementType::Double);
      const auto values = sums.mutableValues<double>();
      const int64_t rows = sums.dim(0), length = sums.dim(1);
      for (int64_t other = c / cuts * cuts; other < (c / cuts + 1) * cuts; ++other) {
        if (reverse ? other <= c : other >= c) continue;
        const HostTensor total = numerics::reduce(numerics::ReduceKind::Sum, x.piece(other), {1}, false);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t i = 0; i < length; ++i) values[std::size_t(r * length + i)] += total.at(r);
      }
      out.put(c, sums);
    }
    return out.assemble(in[0].shape());
  });
}

} // namespace

Tensor cumulativeSum(const OpBuilder& builder, const Tensor& x, std::size_t axis, bool exclusive, bool reverse) {
  const OpBuilder b = builder.within("cumulativeSum", "cumulativeSum");
  const ElementType type = x.elementType();
  const int64_t size = elementBytes(type), length = x.dim(axis), rows = x.numElements() / std::max<int64_t>(1, length);
  // Moves the dimension to the end.
  std::vector<std::size_t> order, back(x.rank());
  Shape shape;
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (d != axis) order.push_back(d);
  order.push_back(axis);
  for (std::size_t i = 0; i < order.size(); ++i) {
    back[order[i]] = i;
    shape.push_back(x.dim(order[i]));
  }
  const Tensor matrix = x.dimShuffle(order).reshape({rows, length});
  const ScanPlan plan = planScan(b.machine(), type, std::max<int64_t>(1, rows), std::max<int64_t>(1, length));
  const Distribution layout({rows, length}, {plan.rowCuts, plan.cuts}, {1, 1},
                            b.graph().nextStartTile(plan.rowCuts * plan.cuts) % b.tiles(), b.tileRange());
  b.recordPlan(plan.cuts > 1 ? "stretches" : "whole rows", fmt::format("rows/{} stretches/{}", plan.rowCuts, plan.cuts),
               {{"partition", {{"rows", plan.rowCuts}, {"stretches", plan.cuts}}}}, plan.cost());
  const Tensor out = b.output(type, {rows, length}, "out", layout);
  const PerTile held = layout.elementsByTile();
  PerTile bytes;
  bytes.add(held, size);
  const Tensor in = b.buffer(type, "in", bytes, MemoryCategory::Message);
  b.exchange("gatherRows", {matrix}, {in}, b.trafficBlind(b.layoutOf(matrix), held, size));
  const int64_t each = layout.cell(0).dims[0].size(), stretch = layout.cell(0).dims[1].size(),
                workers = std::min<int64_t>(b.tile().workers, each);
  Superstep local(b, "runningSum");
  for (const auto& r : held.runs())
    local.add(codelets::runningSumSpec(type), codelets::runningSum(b.tile(), type, ceilDiv(each, workers), stretch), r.tiles,
              workers);
  local.execute({in}, {out});
  if (layout.splits()[1] > 1) {
    PerTile totals, totalBytes;
    for (const auto& r : held.runs()) totals.add(r.tiles, each * layout.splits()[1]);
    totalBytes.add(totals, size);
    const Tensor received = b.buffer(type, "totals", totalBytes, MemoryCategory::Message);
    b.exchange("exchangeTotals", {out}, {received}, b.trafficBlind(layout, totals, size));
    Superstep add(b, "addTotals");
    for (const auto& r : held.runs())
      add.add(codelets::broadcastVectorOuterSpec(codelets::BinaryOp::Add, type, codelets::Placement::InPlace),
              codelets::broadcastVectorOuter(b.tile(), codelets::BinaryOp::Add, type, each, stretch), r.tiles);
    add.execute({received, out}, {out});
  }
  if (b.byCells())
    b.compute({matrix}, {out}, scanCells(layout, exclusive, reverse));
  else
    b.compute({matrix}, {out}, oneResult([exclusive, reverse](const std::vector<HostTensor>& v) {
                return numerics::cumulativeSum(v[0], 1, exclusive, reverse);
              }));
  return axis + 1 == x.rank() ? out.reshape(shape) : transpose(b, out.reshape(shape), back);
}

} // namespace simcore::ops

#include "simcore/ops/pool/max_unpool.h"

#include "reports/core/error.h"
#include "simcore/codelets/slice.h"
#include "simcore/numerics/roi_align.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/plan/part_counts.h"
#include "simcore/ops/slice/slice_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;

namespace {

// The scan of a tile: popops' multiUpdate with rows of one element, of which only some are on the tile.
codelets::LookUp scanOf(const UnpoolPlan& plan, ElementType type, int64_t places, bool withinPlanes) {
  codelets::LookUp l;
  l.type = type;
  l.offsets = ceilDiv(places, plan.rounds);
  l.inRangeFraction = 1.0 / double(withinPlanes ? plan.fieldCuts : plan.tiles());
  l.rowElements = 1;
  return l;
}

void estimatePlan(const arch::Machine& m, ElementType type, int64_t places, bool withinPlanes, double availableMemory,
                  UnpoolPlan& plan) {
  const int64_t bytes = places * (kIndexBytes + elementBytes(type));
  plan.rounds = std::max<int64_t>(1, ceilDiv(bytes, int64_t(availableMemory * double(m.tile.memory.value()))));
  plan.temporaryBytes = ceilDiv(bytes, plan.rounds);
  plan.exchangeCycles = plan.rounds * exchangeEstimate(m, plan.temporaryBytes);
  plan.computeCycles = plan.rounds * codelets::multiUpdate(m.tile, scanOf(plan, type, places, withinPlanes)).cycles.value();
}

// Each tile writes its elements into its zeros.
HostKernel scatterCells(const Distribution& layout, bool withinPlanes, int64_t places) {
  return oneResult([=](const std::vector<HostTensor>& in) {
    const int64_t field = layout.shape()[1], all = layout.shape()[0] * field;
    Pieces out(in[0].type(), layout);
    for (int64_t c = 0; c < layout.cells(); ++c) {
      const Box box = layout.cell(c);
      const int64_t width = box.dims[1].size(), first = withinPlanes ? box.dims[0].begin * places : 0,
                    last = withinPlanes ? box.dims[0].end * places : in[0].count();
      std::vector<double> values(std::size_t(box.volume()), 0);
      for (int64_t i = first; i < last; ++i) {
        const int64_t at = rowOf(in[1], i, all), plane = at / field, column = at % field;
        if (box.dims[0].contains(plane) && box.dims[1].contains(column))
          values[std::size_t((plane - box.dims[0].begin) * width + column - box.dims[1].begin)] = in[0].at(i);
      }
      out.put(c, HostTensor::vector(values).cast(in[0].type()));
    }
    return out.assemble(layout.shape());
  });
}

} // namespace

UnpoolPlan planUnpool(const arch::Machine& machine, ElementType type, int64_t planes, int64_t field, int64_t places,
                      bool withinPlanes, double availableMemory) {
  const int64_t tiles = machine.tilesPerIpu;
  Cheapest<UnpoolPlan> best;
  for (const int64_t p : partCounts(std::min(tiles, planes)))
    for (const int64_t f : partCounts(std::min(tiles / p, field))) {
      UnpoolPlan plan;
      plan.planeCuts = ceilDiv(planes, ceilDiv(planes, p));
      plan.fieldCuts = ceilDiv(field, ceilDiv(field, f));
      estimatePlan(machine, type, (withinPlanes ? ceilDiv(planes, plan.planeCuts) : planes) * places, withinPlanes,
                   availableMemory, plan);
      best.offer(plan);
    }
  return best.plan();
}

Tensor unpool(const OpBuilder& builder, const Tensor& x, const Tensor& indices, int64_t field, bool withinPlanes) {
  const OpBuilder b = builder.within("unpool", "multiUpdate");
  const ElementType type = x.elementType();
  const int64_t planes = x.dim(0), places = x.dim(1), size = elementBytes(type);
  const UnpoolPlan plan = planUnpool(b.machine(), type, planes, field, places, withinPlanes, b.availableMemoryProportion());
  b.recordPlan(withinPlanes ? "scatter within planes" : "scatter",
               fmt::format("planes/{} field/{} in {} rounds", plan.planeCuts, plan.fieldCuts, plan.rounds),
               {{"partition", {{"planes", plan.planeCuts}, {"field", plan.fieldCuts}}},
                {"rounds", plan.rounds},
                {"predicted", {{"exchange", plan.exchangeCycles}, {"compute", plan.computeCycles}}}},
               plan.cost());
  const Distribution layout({planes, field}, {plan.planeCuts, plan.fieldCuts}, {1, 1},
                            b.graph().nextStartTile(plan.tiles()) % b.tiles(), b.tileRange());
  const Tensor out = b.output(type, {planes, field}, "out", layout);
  zero(b.timeOnly(), out);
  // Elements that a tile checks in a round, of its planes or of all planes.
  PerTile need, bytes;
  std::vector<int64_t> offsets(std::size_t(b.tiles()), 0);
  for (int64_t c = 0; c < layout.cells(); ++c)
    offsets[std::size_t(layout.tileOf(c) - b.tileRange().begin)] =
        ceilDiv((withinPlanes ? layout.cell(c).dims[0].size() : planes) * places, plan.rounds);
  need = b.perTile(offsets);
  bytes.add(need, kIndexBytes + size);
  Sequence rounds;
  const OpBuilder round = plan.rounds > 1 ? b.into(rounds) : b;
  Traffic traffic = round.trafficBlind(b.layoutOf(indices), need, kIndexBytes);
  traffic.add(round.trafficBlind(b.layoutOf(x), need, size));
  const Tensor in = round.buffer(type, "in", bytes, MemoryCategory::Message);
  round.exchange("gatherPlaces", {x, indices}, {in}, traffic);
  Superstep step(round, "multiUpdate");
  for (const auto& r : need.runs()) {
    if (r.value == 0) continue;
    codelets::LookUp scan = scanOf(plan, type, 1, withinPlanes);
    scan.offsets = r.value;
    step.add(codelets::multiUpdateSpec(scan), codelets::multiUpdate(b.tile(), scan), r.tiles);
  }
  step.execute({in, out}, {out});
  if (plan.rounds > 1) b.program().add(graph::program::repeat(plan.rounds, rounds, "rounds", b.context()));
  if (b.byCells())
    b.compute({x, indices.flatten()}, {out}, scatterCells(layout, withinPlanes, places));
  else
    b.compute({x, indices.flatten()}, {out},
              oneResult([shape = out.shape()](const std::vector<HostTensor>& v) { return numerics::unpool(v[0], v[1], shape); }));
  return out;
}

} // namespace simcore::ops

// Updates of rows, dynamic slices, and gradients of movements: see slices.h.
#include "simcore/ops/slice/slices.h"

#include "reports/core/error.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/slice.h"
#include "simcore/numerics/layout.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/move/single_elements.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/ops/slice/slice_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;
using numerics::ScatterReduction;
using reports::ceilDiv;
using reports::MemoryCategory;

namespace {

double combined(ScatterReduction mode, double old, double update) {
  switch (mode) {
  case ScatterReduction::None: return update;
  case ScatterReduction::Add: return old + update;
  case ScatterReduction::Mul: return old * update;
  case ScatterReduction::Min: return std::min(old, update);
  case ScatterReduction::Max: return std::max(old, update);
  }
  return update;
}

HostTensor withType(const std::vector<double>& values, ElementType type) {
  return HostTensor::of({int64_t(values.size())}, values).cast(type);
}

struct UpdatePlan : PlanEstimate {
  int64_t rowCuts = 1, columnCuts = 1;
  int64_t lookUpCuts = 1; // parts of the indices, each with separate sums
};

constexpr int64_t kStepsOfReduction = 600; // syncs and launches of a reduction and a sum

struct UpdateCost {
  codelets::VertexSpec spec;
  codelets::VertexCost cost;
};
UpdateCost updateCost(const arch::TileArchitecture& tile, ElementType type, int64_t indices, double fraction, int64_t columns,
                      ScatterReduction mode) {
  codelets::LookUp l;
  l.type = type;
  l.offsets = indices;
  l.inRangeFraction = fraction;
  l.rowElements = columns;
  if (mode == ScatterReduction::None) return {codelets::multiUpdateSpec(l), codelets::multiUpdate(tile, l)};
  const auto op = mode == ScatterReduction::Add   ? codelets::UpdateOp::Add
                  : mode == ScatterReduction::Mul ? codelets::UpdateOp::Multiply
                                                  : codelets::UpdateOp::Max; // a minimum costs the same as a maximum
  return {codelets::multiUpdateOpSpec(l, op, false), codelets::multiUpdateOp(tile, l, op, false)};
}

codelets::ReduceOp reductionOf(ScatterReduction mode) {
  return mode == ScatterReduction::Min   ? codelets::ReduceOp::Minimum
         : mode == ScatterReduction::Max ? codelets::ReduceOp::Maximum
                                         : codelets::ReduceOp::Add;
}

// Every tile gets the indices of its part, and its columns of the updates with these indices; cutting rows saves copies, cutting
// columns also saves exchange. Parts of the indices give partial results that are reduced, like in poplibs' plans with several
// partitions of the look-ups. The order of the indices is only kept with one part.
UpdatePlan planUpdate(const arch::Machine& m, ElementType type, int64_t rows, int64_t columns, int64_t indices,
                      ScatterReduction mode) {
  Cheapest<UpdatePlan> best;
  for (int64_t c = 1;; c = std::min(columns, c * 2)) {
    for (int64_t r = 1;; r = std::min(rows, r * 2)) {
      if (r * c <= m.tilesPerIpu) {
        UpdatePlan p;
        p.rowCuts = r, p.columnCuts = c;
        const int64_t width = ceilDiv(columns, c), size = elementBytes(type);
        const bool isSplit = mode == ScatterReduction::Add || mode == ScatterReduction::Min || mode == ScatterReduction::Max;
        for (int64_t l = 1; l * r * c <= m.tilesPerIpu && l <= indices && (l == 1 || isSplit); l *= 2) {
          p.lookUpCuts = l;
          const int64_t part = ceilDiv(indices, l), bytes = part * (kIndexBytes + width * size);
          const int64_t held = ceilDiv(rows, r) * width; // elements
          p.temporaryBytes = bytes + (l > 1 ? held * size : 0);
          p.exchangeCycles = exchangeEstimate(m, double(bytes + (l == 1 ? held * size : 0)));
          p.computeCycles = updateCost(m.tile, type, part, 1.0 / double(r), width, mode).cost.cycles.value();
          if (l > 1) { // partial results go to the tiles that reduce them, then to the tiles that add the operand
            const int64_t each = ceilDiv(rows * columns, m.tilesPerIpu);
            p.exchangeCycles += 2 * exchangeEstimate(m, double(each * (l + 1) * size));
            p.computeCycles += kStepsOfReduction + each * (l + 1);
          }
          best.offer(p);
        }
      }
      if (r == rows) break;
    }
    if (c == columns) break;
  }
  return best.plan();
}

// Each tile starts with its box of x and processes all indices in order.
HostKernel updateCells(const Distribution& layout, ScatterReduction mode) {
  return oneResult([layout, mode](const std::vector<HostTensor>& in) {
    const int64_t rows = in[0].dim(0), columns = in[0].dim(1);
    const Pieces x(in[0], layout);
    Pieces out(in[0].type(), layout);
    for (int64_t cell = 0; cell < layout.cells(); ++cell) {
      const Box box = layout.cell(cell);
      std::vector<double> values = x.piece(cell).toDoubles();
      const int64_t width = box.dims[1].size();
      for (int64_t i = 0; i < in[1].count(); ++i) {
        const int64_t row = rowOf(in[1], i, rows);
        if (!box.dims[0].contains(row)) continue;
        for (int64_t c = box.dims[1].begin; c < box.dims[1].end; ++c) {
          double& v = values[std::size_t((row - box.dims[0].begin) * width + c - box.dims[1].begin)];
          v = combined(mode, v, in[2].at(i * columns + c));
        }
      }
      out.put(cell, withType(values, in[0].type()));
    }
    return out.assemble(in[0].shape());
  });
}

// Each part of the indices is combined separately; then the parts are reduced, and the operand is combined with the result.
Tensor updateInParts(const OpBuilder& b, const UpdatePlan& plan, const Tensor& x, const Tensor& indices, const Tensor& updates,
                     ScatterReduction mode) {
  const ElementType type = x.elementType();
  const int64_t rows = x.dim(0), columns = x.dim(1), parts = plan.lookUpCuts, count = ceilDiv(indices.numElements(), parts);
  const OpBuilder timed = b.timeOnly();
  const Distribution layout({parts, rows, columns}, {parts, plan.rowCuts, plan.columnCuts}, {1, 1, 1}, 0, b.tileRange());
  const Tensor partials = timed.output(type, {parts, rows, columns}, "partials", layout);
  zero(timed, partials);
  const int64_t width = layout.cell(0).dims[2].size();
  const PerTile held = layout.elementsByTile();
  PerTile needIndices, needUpdates, bytes;
  for (const auto& r : held.runs()) needIndices.add(r.tiles, count), needUpdates.add(r.tiles, count * width);
  Traffic traffic = b.trafficBlind(b.layoutOf(indices), needIndices, kIndexBytes);
  traffic.add(b.trafficBlind(b.layoutOf(updates), needUpdates, elementBytes(type)));
  bytes.add(needIndices, kIndexBytes);
  bytes.add(needUpdates, elementBytes(type));
  const Tensor in = b.buffer(type, "in", bytes, MemoryCategory::Message);
  b.exchange("gatherUpdates", {indices, updates}, {in}, traffic);
  Superstep step(b, "multiUpdate");
  const auto each = updateCost(b.tile(), type, count, 1.0 / double(layout.splits()[1]), width, mode);
  for (const auto& r : held.runs()) step.add(each.spec, each.cost, r.tiles);
  step.execute({in}, {partials});
  const Tensor reduced = reduce(timed, partials, {0}, reductionOf(mode), false);
  const codelets::BinaryOp combine = mode == ScatterReduction::Min   ? codelets::BinaryOp::Minimum
                                     : mode == ScatterReduction::Max ? codelets::BinaryOp::Maximum
                                                                     : codelets::BinaryOp::Add;
  const Tensor out = binary(timed, combine, x, reduced);
  if (b.byCells()) { // computes each part of the indices separately, as its tiles do
    b.compute({x, indices.flatten(), updates}, {out}, oneResult([parts, count, mode](const std::vector<HostTensor>& v) {
                HostTensor all = v[0];
                for (int64_t p = 0; p < parts; ++p) {
                  const int64_t first = std::min(p * count, v[1].count()), size = std::min(count, v[1].count() - first);
                  if (size > 0)
                    all = numerics::scatterNd(all, numerics::slice(v[1], 0, first, size).reshaped({size, 1}),
                                              numerics::slice(v[2], 0, first, size), mode);
                }
                return all;
              }));
    return out;
  }
  b.compute({x, indices.flatten(), updates}, {out}, oneResult([mode](const std::vector<HostTensor>& v) {
              return numerics::scatterNd(v[0], v[1].reshaped({v[1].count(), 1}), v[2], mode);
            }));
  return out;
}

} // namespace

Tensor multiUpdate(const OpBuilder& builder, const Tensor& x, const Tensor& indices, const Tensor& updates,
                   ScatterReduction mode) {
  const OpBuilder b = builder.within("multiUpdate", "multiUpdate");
  const ElementType type = x.elementType();
  const int64_t rows = x.dim(0), columns = x.dim(1), count = indices.numElements(), size = elementBytes(type);
  const UpdatePlan plan = planUpdate(b.machine(), type, std::max<int64_t>(1, rows), std::max<int64_t>(1, columns), count, mode);
  b.recordPlan("update",
               fmt::format("rows/{} columns/{}", plan.rowCuts, plan.columnCuts) +
                   (plan.lookUpCuts > 1 ? fmt::format(" look-ups/{}", plan.lookUpCuts) : std::string()),
               {{"partition", {{"rows", plan.rowCuts}, {"columns", plan.columnCuts}, {"lookUps", plan.lookUpCuts}}},
                {"predicted", {{"exchange", plan.exchangeCycles}, {"compute", plan.computeCycles}}}},
               plan.cost());
  if (plan.lookUpCuts > 1) return updateInParts(b, plan, x, indices, updates, mode);
  const Distribution layout({rows, columns}, {plan.rowCuts, plan.columnCuts}, {1, 1}, 0, b.tileRange());
  const Tensor out = b.output(type, {rows, columns}, "out", layout);
  std::vector<Box> boxes;
  for (int64_t c = 0; c < layout.cells(); ++c) boxes.push_back(layout.cell(c));
  const Distribution source = b.layoutOf(x);
  const PerTile held = layout.elementsByTile();
  Traffic traffic = b.trafficTo(source, layout.shape(), boxes, 0, held, size);
  PerTile needIndices, needUpdates, bytes;
  for (const auto& r : held.runs()) {
    needIndices.add(r.tiles, count);
    needUpdates.add(r.tiles, count * layout.cell(0).dims[1].size());
  }
  traffic.add(b.trafficBlind(b.layoutOf(indices), needIndices, kIndexBytes));
  traffic.add(b.trafficBlind(b.layoutOf(updates), needUpdates, size));
  bytes.add(needIndices, kIndexBytes);
  bytes.add(needUpdates, size);
  const Tensor in = b.buffer(type, "in", bytes, MemoryCategory::Message);
  b.exchange("gatherUpdates", {x, indices, updates}, {out, in}, traffic);
  Superstep step(b, "multiUpdate");
  const auto each = updateCost(b.tile(), type, count, 1.0 / double(layout.splits()[0]), layout.cell(0).dims[1].size(), mode);
  for (const auto& r : held.runs()) step.add(each.spec, each.cost, r.tiles);
  step.execute({out, in}, {out});
  if (b.byCells())
    b.compute({x, indices.flatten(), updates}, {out}, updateCells(layout, mode));
  else
    b.compute({x, indices.flatten(), updates}, {out}, oneResult([mode](const std::vector<HostTensor>& v) {
                return numerics::scatterNd(v[0], v[1].reshaped({v[1].count(), 1}), v[2], mode);
              }));
  return out;
}

namespace {
// A tile with more bytes of a table than this shares its columns with other tiles, as popops does for all tables.
constexpr int64_t kMostTableBytes = 65536;
Distribution sliceableLayout(const OpBuilder& b, ElementType type, int64_t slices, int64_t columns) {
  int64_t cells = b.linear(columns, type).cells();
  const int64_t fitting = std::max<int64_t>(1, kMostTableBytes / std::max<int64_t>(1, slices * elementBytes(type)));
  cells = std::max(cells, std::min({columns, b.tiles(), reports::ceilDiv(columns, fitting)}));
  return Distribution({slices, columns}, {1, std::max<int64_t>(1, cells)}, {1, 1}, 0, b.tileRange());
}
} // namespace

Tensor sliceableVariable(const OpBuilder& b, ElementType type, int64_t slices, int64_t columns, const std::string& name) {
  return b.output(type, {slices, columns}, name, sliceableLayout(b, type, slices, columns));
}

Tensor sliceable(const OpBuilder& builder, const Tensor& x) {
  const OpBuilder b = builder.within("toSliceable", "toSliceable");
  const Distribution layout = sliceableLayout(b, x.elementType(), x.dim(0), x.dim(1)), source = b.layoutOf(x);
  if (source.sameAs(layout)) return x;
  const Tensor out = b.output(x.elementType(), x.shape(), "out", layout);
  std::vector<Box> boxes;
  for (int64_t c = 0; c < layout.cells(); ++c) boxes.push_back(layout.cell(c));
  const Traffic traffic = b.trafficTo(source, x.shape(), boxes, 0, layout.elementsByTile(), elementBytes(x));
  b.exchange("toSliceable", {x}, {out}, traffic);
  const HostKernel same = oneResult([](const std::vector<HostTensor>& in) { return in[0]; });
  b.compute({x}, {out}, b.byCells() ? cellwiseMove(same, {source}, 1, layout, x.shape(), 0) : same);
  return out;
}

namespace {
void sliceStep(const OpBuilder& b, codelets::SliceDirection direction, const Distribution& layout, ElementType type,
               const std::vector<Tensor>& reads, const Tensor& out) {
  const PerTile columns = layout.elementsByTile(); // elements per tile, in all slices
  Superstep step(b, direction == codelets::SliceDirection::Slice ? "dynamicSlice" : "dynamicUpdate");
  for (const auto& r : columns.runs())
    step.add(codelets::dynamicSlice1DSpec(direction, type),
             codelets::dynamicSlice1D(b.tile(), direction, type, r.value / layout.shape()[0], 1), r.tiles);
  step.execute(reads, {out});
}
// The index is sent to every tile that slices.
Tensor broadcastIndex(const OpBuilder& b, const Tensor& index, const Distribution& layout) {
  PerTile one, bytes;
  for (const auto& r : layout.elementsByTile().runs()) one.add(r.tiles, 1);
  bytes.add(one, kIndexBytes);
  const Tensor local = b.buffer(index.elementType(), "index", bytes, MemoryCategory::Message);
  b.exchange("broadcastIndex", {index}, {local}, b.trafficBlind(b.layoutOf(index), one, kIndexBytes));
  return local;
}
} // namespace

Tensor dynamicSlice(const OpBuilder& builder, const Tensor& operand, const Tensor& index) {
  const OpBuilder b = builder.within("dynamicSlice", "dynamicSlice");
  const Tensor x = b.local(operand);
  const Distribution layout = b.layoutOf(x);
  const Distribution row({x.dim(1)}, {layout.cells()}, {layout.cell(0).dims.back().size()}, layout.firstTile(), layout.tiles());
  const Tensor out = b.output(x.elementType(), {x.dim(1)}, "out", row);
  sliceStep(b, codelets::SliceDirection::Slice, layout, x.elementType(), {x, broadcastIndex(b, index, layout)}, out);
  if (b.byCells())
    b.compute({x, index}, {out}, oneResult([layout, row](const std::vector<HostTensor>& in) {
                const Pieces all(in[0], layout);
                Pieces one(in[0].type(), row);
                for (int64_t c = 0; c < row.cells(); ++c)
                  one.put(c, numerics::slice(all.piece(c), 0, rowOf(in[1], 0, in[0].dim(0)), 1));
                return one.assemble({in[0].dim(1)});
              }));
  else
    b.compute({x, index}, {out}, oneResult([](const std::vector<HostTensor>& in) {
                return numerics::slice(in[0], 0, rowOf(in[1], 0, in[0].dim(0)), 1).reshaped({in[0].dim(1)});
              }));
  return out;
}

void dynamicUpdate(const OpBuilder& builder, const Tensor& x, const Tensor& row, const Tensor& index) {
  const OpBuilder b = builder.within("dynamicUpdate", "dynamicUpdate");
  b.requireLocal(x);
  const Distribution layout = b.layoutOf(x), from = b.layoutOf(row);
  const Distribution own({x.dim(1)}, {layout.cells()}, {layout.cell(0).dims.back().size()}, layout.firstTile(), layout.tiles());
  std::vector<Tensor> reads{row, broadcastIndex(b, index, layout)};
  if (!from.sameAs(own)) {
    PerTile bytes;
    bytes.add(own.elementsByTile(), elementBytes(row));
    const Tensor in = b.buffer(row.elementType(), "row", bytes, MemoryCategory::Message);
    b.exchange("gatherRow", {row}, {in}, b.trafficInOrder(from, own, elementBytes(row)));
    reads.push_back(in);
  }
  sliceStep(b, codelets::SliceDirection::Update, layout, x.elementType(), reads, x);
  const bool byCells = b.byCells();
  b.compute({x, row.flatten(), index}, {x}, oneResult([layout, own, byCells](const std::vector<HostTensor>& in) {
              const int64_t at = rowOf(in[2], 0, in[0].dim(0)), columns = in[0].dim(1);
              Box to;
              to.dims = {{at, at + 1}, {0, columns}};
              HostTensor all = in[0];
              if (!byCells) {
                putBox(all, to, in[1]);
                return all;
              }
              const Pieces rowPieces(in[1], own);
              for (int64_t c = 0; c < own.cells(); ++c) {
                to.dims[1] = layout.cell(c).dims[1];
                putBox(all, to, rowPieces.piece(c));
              }
              return all;
            }));
}

namespace {
constexpr int64_t kMostLanding = 16 * 1024; // bytes of gradients that arrive at a tile
}

Tensor moveBack(const OpBuilder& builder, const Tensor& dy, const std::vector<Tensor>& more, const Shape& shape,
                HostKernel where) {
  const OpBuilder b = builder.within("multiUpdateAdd", "multiUpdateAdd");
  const ElementType type = dy.elementType();
  const int64_t elements = std::max<int64_t>(1, numerics::elementCount(shape));
  const Distribution layout = layoutOfSingleElements(b, elements, type);
  // For many gradients of few elements, e.g. of a small table:
  // groups of tiles sum a part each, and a reduction sums the parts.
  const int64_t ways = std::clamp<int64_t>(ceilDiv(dy.numElements() * elementBytes(type), layout.cells() * kMostLanding), 1,
                                           b.tiles() / layout.cells());
  Tensor out =
      ways == 1 ? b.output(type, shape, "out", layout)
                : b.output(type, {ways, elements}, "partials",
                           Distribution({ways, elements}, {ways, layout.cells()}, {1, layout.maxElements()}, 0, b.tileRange()));
  std::vector<Tensor> inputs{dy};
  inputs.insert(inputs.end(), more.begin(), more.end());
  Traffic traffic;
  PerTile received;
  const PerTile held = b.layoutOf(out).elementsByTile();
  const auto landingOf = [&](const Tensor& t, int64_t places) {
    return std::max<int64_t>(1, ceilDiv(places * t.numElements(), elements * ways));
  };
  for (const Tensor& t : inputs) {
    PerTile share; // elements of the input that arrive at a tile
    for (const auto& r : held.runs()) share.add(r.tiles, landingOf(t, r.value));
    traffic.add(b.trafficBlind(b.layoutOf(t), share, elementBytes(t)));
    received.add(share, elementBytes(t));
  }
  const Tensor in = b.buffer(type, "in", received, MemoryCategory::Message);
  b.exchange("gatherGradient", inputs, {in}, traffic);
  // Each element is added at its original position: rows of one element, all in range.
  Superstep step(b, "multiUpdateAdd");
  int64_t predicted = 0;
  for (const auto& r : held.runs()) {
    const int64_t landing = landingOf(dy, r.value);
    const auto cost = codelets::stridedCopy(b.tile(), type, landing);
    predicted = std::max(predicted, cost.cycles.value());
    codelets::VertexSpec spec = codelets::stridedCopySpec(type);
    spec.name = "popops::ScatterAdd<" + std::string(numerics::elementTypeName(type)) + ">";
    step.add(spec, {cost.cycles, reports::Flops(landing)}, r.tiles);
  }
  step.execute({in}, {out});
  b.recordPlan("scatter-add", fmt::format("{} elements onto {} tiles", dy.numElements(), layout.cells() * ways), PlanFacts(),
               {predicted, received.max()});
  if (ways > 1) out = reduce(b.timeOnly(), out, {0}, codelets::ReduceOp::Add, false).reshape(shape);
  if (!where) return out;
  b.compute(inputs, {out},
            oneResult([where = std::move(where), shape, layout, byCells = b.byCells()](const std::vector<HostTensor>& v) {
              HostTensor positions = HostTensor::uninitialised(ElementType::Int64, shape);
              const auto p = positions.mutableValues<int64_t>();
              std::iota(p.begin(), p.end(), 1);
              std::vector<HostTensor> inputsOfMove{positions};
              inputsOfMove.insert(inputsOfMove.end(), v.begin() + 1, v.end());
              const std::vector<int64_t> to = where(inputsOfMove).at(0).toIntegers();
              std::vector<double> sums(std::size_t(std::max<int64_t>(1, positions.count())), 0);
              if (!byCells) {
                for (std::size_t i = 0; i < to.size(); ++i)
                  if (to[i] > 0) sums[std::size_t(to[i] - 1)] += v[0].at(int64_t(i));
                sums.resize(std::size_t(positions.count()));
                return HostTensor::of(shape, sums).cast(v[0].type());
              }
              // Each tile adds the gradients of its own elements.
              Pieces pieces(v[0].type(), layout);
              for (int64_t c = 0; c < layout.cells(); ++c) {
                const auto range = layout.cell(c).dims[0];
                std::vector<double> mine(std::size_t(range.size()), 0);
                for (std::size_t i = 0; i < to.size(); ++i)
                  if (range.contains(to[i] - 1)) mine[std::size_t(to[i] - 1 - range.begin)] += v[0].at(int64_t(i));
                pieces.put(c, withType(mine, v[0].type()));
              }
              return positions.count() ? pieces.assemble(shape) : HostTensor(v[0].type(), shape);
            }));
  return out;
}

} // namespace simcore::ops

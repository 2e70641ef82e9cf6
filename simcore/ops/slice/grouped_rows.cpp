#include "simcore/ops/slice/grouped_rows.h"

#include "reports/core/error.h"
#include "simcore/codelets/slice.h"
#include "simcore/numerics/indexing.h"
#include "simcore/numerics/layout.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/slice/slice_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;

Distribution groupedLayout(const OpBuilder& b, ElementType type, const Shape& table) {
  const int64_t tiles = b.tiles(), grain = std::max<int64_t>(1, b.tile().dataPathBytes / elementBytes(type));
  const int64_t groups = std::min(tiles, table[0]),
                columns = std::min(ceilDiv(table[2], grain), std::max<int64_t>(1, tiles / groups));
  return Distribution(table, {groups, 1, columns}, {1, 1, grain}, 0, b.tileRange());
}

namespace {

Distribution rowsLayout(const Distribution& table, int64_t rows) {
  return Distribution({table.shape()[0], rows, table.shape()[2]}, table.splits(), {table.part(0), 1, table.part(2)},
                      table.firstTile(), table.tiles());
}

// Moves x to the layout in which picking rows needs no exchange.
Tensor inGroups(const OpBuilder& b, const Tensor& x, const Distribution& layout) {
  if (const auto id = x.wholeVariable();
      id.valid() && !b.graph().variable(id).mapped() && b.graph().variable(id).shape == x.shape())
    b.graph().setDistribution(x, layout);
  const Distribution source = b.layoutOf(x);
  if (source.sameAs(layout)) return x;
  const Tensor moved = b.output(x.elementType(), x.shape(), "toGroups", layout);
  std::vector<Box> boxes;
  for (int64_t c = 0; c < layout.cells(); ++c) boxes.push_back(layout.cell(c));
  b.exchange("toGroups", {x}, {moved}, b.trafficTo(source, x.shape(), boxes, 0, layout.elementsByTile(), elementBytes(x)));
  b.compute({x}, {moved}, oneResult([](const std::vector<HostTensor>& in) { return in[0]; }));
  return moved;
}

// Each tile picks rows from its own piece.
HostKernel pickedCells(const Distribution& table, const Distribution& rows) {
  return oneResult([table, rows](const std::vector<HostTensor>& in) {
    const Pieces all(in[0], table);
    Pieces out(in[0].type(), rows);
    const int64_t picked = rows.shape()[1];
    for (int64_t cell = 0; cell < rows.cells(); ++cell) {
      const Box box = rows.cell(cell);
      const HostTensor& piece = all.piece(cell);
      std::vector<HostTensor> groups;
      for (int64_t g = box.dims[0].begin; g < box.dims[0].end; ++g) {
        const HostTensor own = numerics::slice(piece.reshaped({box.dims[0].size(), table.shape()[1], box.dims[2].size()}), 0,
                                               g - box.dims[0].begin, 1);
        std::vector<HostTensor> parts;
        for (int64_t i = 0; i < picked; ++i)
          parts.push_back(numerics::slice(own, 1, rowOf(in[1], g * picked + i, table.shape()[1]), 1));
        groups.push_back(numerics::concat(parts, 1));
      }
      out.put(cell, numerics::concat(groups, 0));
    }
    return out.assemble(rows.shape());
  });
}

} // namespace

HostTensor rowsOfGroups(const HostTensor& x, const HostTensor& indices) {
  const int64_t groups = x.dim(0), picked = indices.count() / groups;
  std::vector<HostTensor> all;
  for (int64_t g = 0; g < groups; ++g)
    all.push_back(numerics::gather(numerics::slice(x, 0, g, 1).reshaped({x.dim(1), x.dim(2)}),
                                   numerics::slice(indices.reshaped({groups, picked}), 0, g, 1).reshaped({picked}), 0)
                      .reshaped({1, picked, x.dim(2)}));
  return numerics::concat(all, 0);
}

Tensor groupedRows(const OpBuilder& builder, const Tensor& x, const Tensor& indices) {
  const OpBuilder b = builder.within("groupedMultiSlice", "groupedMultiSlice");
  const int64_t picked = indices.numElements() / x.dim(0);
  const Distribution table = groupedLayout(b, x.elementType(), x.shape()), rows = rowsLayout(table, picked);
  const Tensor own = inGroups(b, x, table);
  const Tensor out = b.output(x.elementType(), rows.shape(), "out", rows);
  PerTile need, bytes;
  for (const auto& r : rows.elementsByTile().runs()) need.add(r.tiles, picked * table.part(0));
  bytes.add(need, kIndexBytes);
  const Tensor local = b.buffer(indices.elementType(), "indices", bytes, MemoryCategory::Message);
  b.exchange("broadcastIndices", {indices}, {local}, b.trafficBlind(b.layoutOf(indices), need, kIndexBytes));
  Superstep step(b, "multiSlice");
  int64_t slowest = 0;
  for (const auto& r : rows.elementsByTile().runs()) {
    codelets::LookUp l;
    l.type = x.elementType(), l.offsets = picked * table.part(0);
    l.rowElements = std::max<int64_t>(1, r.value / std::max<int64_t>(1, l.offsets));
    const codelets::VertexCost cost = codelets::multiSlice(b.tile(), l);
    slowest = std::max<int64_t>(slowest, cost.cycles.value());
    step.add(codelets::multiSliceSpec(l), cost, r.tiles);
  }
  step.execute({own, local}, {out});
  const int64_t exchanged = exchangeEstimate(b.machine(), double(picked * table.part(0) * kIndexBytes));
  b.recordPlan("grouped look-up",
               fmt::format("groups/{} columns/{} on {} tiles", table.splits()[0], table.splits()[2], table.cells()),
               {{"partition", {{"groups", table.splits()[0]}, {"columns", table.splits()[2]}}},
                {"predicted", {{"exchange", exchanged}, {"compute", slowest}}}},
               {exchanged + slowest, 0, true});
  b.compute({own, indices}, {out}, b.byCells() ? pickedCells(table, rows) : oneResult([](const std::vector<HostTensor>& in) {
              return rowsOfGroups(in[0], in[1]);
            }));
  return out;
}

HostTensor writtenAt(const HostTensor& x, const HostTensor& part, int64_t at, std::size_t axis) {
  const int64_t end = at + part.dim(axis);
  if (at < 0 || end > x.dim(axis))
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         fmt::format("position {} is outside a cache of {} positions", at < 0 ? at : end - 1, x.dim(axis)));
  return numerics::concat(
      {numerics::slice(x, axis, 0, at), part.cast(x.type()), numerics::slice(x, axis, end, x.dim(axis) - end)}, axis);
}

namespace {
// Each tile writes the positions that it holds.
HostKernel writtenCells(const Distribution& layout, std::size_t axis) {
  return oneResult([layout, axis](const std::vector<HostTensor>& in) {
    const Pieces x(in[0], layout);
    Pieces out(in[0].type(), layout);
    const int64_t at = in[2].integerAt(0), end = at + in[1].dim(axis);
    for (int64_t c = 0; c < layout.cells(); ++c) {
      Box box = layout.cell(c);
      Shape shape;
      for (const auto& range : box.dims) shape.push_back(range.size());
      const HostTensor piece = x.piece(c).reshaped(shape);
      const int64_t begin = box.dims[axis].begin, from = std::max(at, begin), to = std::min(end, box.dims[axis].end);
      if (from >= to) {
        out.put(c, piece);
        continue;
      }
      box.dims[axis] = {from - at, to - at};
      out.put(c, writtenAt(piece, takeBox(in[1], box), from - begin, axis));
    }
    return out.assemble(in[0].shape());
  });
}
} // namespace

void writeAt(const OpBuilder& builder, const Tensor& x, const Tensor& part, const Tensor& position, std::size_t axis) {
  const OpBuilder b = builder.within("dynamicUpdate", "dynamicUpdate");
  const Distribution layout = b.layoutOf(x);
  const int64_t written = part.dim(axis), most = part.numElements() / x.dim(0);
  // Elements of `part` that a tile may need: those at the positions it holds; for a layout of another shape, as many as it could
  // hold.
  const bool isGrid = layout.shape() == x.shape();
  PerTile need, index, bytes;
  for (const auto& r : layout.elementsByTile().runs()) {
    const int64_t columns = isGrid ? r.value / layout.part(axis) * std::min(written, layout.part(axis)) : std::min(r.value, most);
    need.add(r.tiles, std::max<int64_t>(1, columns));
    index.add(r.tiles, 1);
  }
  bytes.add(need, elementBytes(x));
  bytes.add(index, kIndexBytes);
  const Tensor local = b.buffer(x.elementType(), "in", bytes, MemoryCategory::Message);
  Traffic traffic = b.trafficBlind(b.layoutOf(part), need, elementBytes(x));
  traffic.add(b.trafficBlind(b.layoutOf(position), index, kIndexBytes));
  b.exchange("broadcastRows", {part, position}, {local}, traffic);
  Superstep step(b, "dynamicUpdate");
  int64_t slowest = 0;
  for (const auto& r : need.runs()) {
    const codelets::VertexCost cost = codelets::dynamicSlice1D(b.tile(), codelets::SliceDirection::Update, x.elementType(),
                                                               std::max<int64_t>(1, ceilDiv(r.value, written)), written);
    slowest = std::max<int64_t>(slowest, cost.cycles.value());
    step.add(codelets::dynamicSlice1DSpec(codelets::SliceDirection::Update, x.elementType()), cost, r.tiles);
  }
  step.execute({x, local}, {x});
  const int64_t exchanged = exchangeEstimate(b.machine(), double(bytes.max()));
  b.recordPlan("update in place", fmt::format("{} of {} positions on {} tiles", written, x.dim(axis), layout.cells()),
               {{"predicted", {{"exchange", exchanged}, {"compute", slowest}}}}, {exchanged + slowest, bytes.max(), true});
  b.compute({x, part, position}, {x},
            b.byCells() && isGrid ? writtenCells(layout, axis) : oneResult([axis](const std::vector<HostTensor>& in) {
              return writtenAt(in[0], in[1], in[2].integerAt(0), axis);
            }));
}

} // namespace simcore::ops

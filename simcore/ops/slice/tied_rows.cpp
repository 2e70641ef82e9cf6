#include "simcore/ops/slice/tied_rows.h"

#include "reports/core/text.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/slice.h"
#include "simcore/graph/planned_pairs.h"
#include "simcore/numerics/indexing.h"
#include "simcore/numerics/layout.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/slice/slice_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::Placement;
using graph::Box;
using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;

namespace {

// Layout of the rows of one part for slicing, and the numbers computed by tiles with their columns of these rows.
struct TiedLayout {
  int64_t rows = 0, columnCount = 0, width = 1, parts = 1; // rows of a part; all columns, and columns per tile
  TileRange tiles;

  // Layout by whole columns of a tensor with `count` rows.
  Distribution byColumns(int64_t count) const {
    return Distribution({count, columnCount}, {1, ceilDiv(columnCount, width)}, {1, width}, 0, tiles);
  }
  // Calls f(i, row) for each index `i` that refers to the part, with its row in the part.
  template<class F> void forRowsOfPart(const HostTensor& indices, int64_t part, F f) const {
    for (int64_t i = 0; i < indices.count(); ++i)
      if (const int64_t row = rowOf(indices, i, rows * parts) - part * rows; row >= 0 && row < rows) f(i, row);
  }
  // The numbers of a look-up, [L, C] by columns.
  HostTensor rowsByColumns(const HostTensor& table, const HostTensor& indices) const {
    const Distribution sliceable = byColumns(rows), layout = byColumns(indices.count());
    std::vector<HostTensor> values;
    for (int64_t cell = 0; cell < layout.cells(); ++cell)
      values.emplace_back(table.type(), Shape{indices.count(), layout.cell(cell).dims[1].size()});
    for (int64_t part = 0; part < parts; ++part) {
      const Pieces columns(numerics::slice(table, 0, part * rows, rows), sliceable);
      forRowsOfPart(indices, part, [&](int64_t i, int64_t row) {
        for (int64_t cell = 0; cell < layout.cells(); ++cell) {
          const auto range = layout.cell(cell).dims[1];
          for (int64_t c = range.begin; c < range.end; ++c)
            columns.copyElement(row * columnCount + c, values[std::size_t(cell)], i * range.size() + c - range.begin);
        }
      });
    }
    Pieces out(table.type(), layout);
    for (int64_t cell = 0; cell < layout.cells(); ++cell) out.put(cell, values[std::size_t(cell)]);
    return out.assemble(layout.shape());
  }
  // The numbers of an update, by columns.
  HostTensor sumsByColumns(HostTensor table, const HostTensor& indices, const HostTensor& updates) const {
    const Distribution sliceable = byColumns(rows);
    for (int64_t part = 0; part < parts; ++part) {
      const Pieces before(numerics::slice(table, 0, part * rows, rows), sliceable), changes(updates, byColumns(indices.count()));
      Pieces after(table.type(), sliceable);
      for (int64_t cell = 0; cell < sliceable.cells(); ++cell) {
        const auto range = sliceable.cell(cell).dims[1];
        std::vector<double> values = before.piece(cell).toDoubles();
        forRowsOfPart(indices, part, [&](int64_t i, int64_t row) {
          for (int64_t c = range.begin; c < range.end; ++c)
            values[std::size_t(row * range.size() + c - range.begin)] += changes.at(i * columnCount + c);
        });
        after.put(cell, HostTensor::of({rows, range.size()}, values).cast(table.type()));
      }
      Box where;
      where.dims = {{part * rows, (part + 1) * rows}, {0, columnCount}};
      putBox(table, where, after.assemble({rows, columnCount}));
    }
    return table;
  }
};

// The steps that move the rows of a part to whole columns and back, and that compute on them there.
class TiedRows {
public:
  TiedRows(const OpBuilder& b, const Tensor& table, const Tensor& indices, int64_t parts)
      : m_b(b), m_table(table), m_indices(indices),
        m_type(table.elementType()), m_layout{table.dim(0) / parts, table.dim(1),
                                              std::max<int64_t>(1, ceilDiv(table.dim(1), b.tiles())), parts, b.tileRange()},
        m_spread(b.linear(m_layout.rows * m_layout.columnCount, m_type)), m_sliceable(m_layout.byColumns(m_layout.rows)) {
    m_b.layoutOf(table); // maps a table that no product has placed yet
    m_b.recordPlan("columns of a tied table",
                   fmt::format("{} of {} rows, {} on each of {}", reports::counted(parts, "part"), m_layout.rows,
                               reports::counted(m_layout.width, "column"), reports::counted(m_sliceable.cells(), "tile")),
                   {{"parts", parts}, {"rows", m_layout.rows}, {"columns", m_layout.width}, {"tiles", m_sliceable.cells()}},
                   {rearranging(m_spread.maxElements()).cycles.value(), m_layout.rows * m_layout.width * size()});
  }

  const TiedLayout& layout() const { return m_layout; }

  // A part of the table on the tiles of its columns.
  Tensor brought() const {
    const Tensor columns = m_b.output(m_type, {m_layout.rows, m_layout.columnCount}, "baseRearranged", m_sliceable);
    const Tensor pieces = piecesOf("gathered", m_spread);
    rearrange("gatherColumns", m_spread, m_table, pieces);
    Traffic traffic = m_b.trafficBlind(m_spread, m_sliceable.elementsByTile(), size());
    countMessages(traffic);
    m_b.exchange("toColumns", {pieces}, {columns}, traffic);
    return columns;
  }
  void bringBack(const Tensor& columns) const {
    Traffic traffic = m_b.trafficBlind(m_spread, m_sliceable.elementsByTile(), size());
    countMessages(traffic);
    std::swap(traffic.bytesIn, traffic.bytesOut);
    std::swap(traffic.messagesIn, traffic.messagesOut);
    traffic.pairs.clear(); // these pairs are for the opposite direction
    const Tensor pieces = piecesOf("scattered", m_spread);
    m_b.exchange("fromColumns", {columns}, {pieces}, traffic);
    rearrange("scatterColumns", m_spread, pieces, m_table);
  }

  // The indices on every tile with columns.
  Tensor indicesEverywhere() const {
    PerTile count, bytes;
    for (const auto& r : m_sliceable.elementsByTile().runs()) count.add(r.tiles, m_indices.numElements());
    bytes.add(count, kIndexBytes);
    const Tensor in = m_b.buffer(m_indices.elementType(), "indices", bytes, MemoryCategory::Message);
    m_b.exchange("broadcastIndices", {m_indices}, {in}, m_b.trafficBlind(m_b.layoutOf(m_indices), count, kIndexBytes));
    return in;
  }

  // Moves the updates, [L, C], to the tiles that have their columns.
  Tensor updatesBrought(const Tensor& updates, const Distribution& layout) const {
    const Distribution source = m_b.layoutOf(updates);
    const Tensor pieces = piecesOf("gatheredUpdates", source), in = piecesOf("updates", layout, MemoryCategory::Message);
    rearrange("gatherUpdates", source, updates, pieces);
    m_b.exchange(
        "updatesToColumns", {pieces}, {in},
        m_b.trafficTo(source, layout.shape(), graph::cellsOf(layout), layout.firstTile(), layout.elementsByTile(), size()));
    return in;
  }

  // A step with one vertex on every tile with columns.
  void onColumns(const std::string& name, const codelets::VertexSpec& spec, const codelets::VertexCost& cost,
                 const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) const {
    Superstep step(m_b, name);
    for (const auto& r : m_sliceable.elementsByTile().runs()) step.add(spec, cost, r.tiles);
    step.execute(reads, writes);
  }
  void inPlace(const std::string& name, BinaryOp op, const Tensor& x, const std::vector<Tensor>& reads) const {
    const int64_t elements = m_indices.numElements() * m_layout.width;
    onColumns(name, codelets::binaryOp1DSpec(op, m_type, Placement::InPlace),
              codelets::binaryOp1D(m_b.tile(), op, m_type, elements, Placement::InPlace), reads, {x});
  }

  // The vertex of one part. With several parts, a look-up uses row 0 for indices out of its range; an update skips them.
  codelets::LookUp lookUp(bool allInRange) const {
    codelets::LookUp l;
    l.type = m_type;
    l.offsets = m_indices.numElements();
    l.inRangeFraction = allInRange ? 1.0 : 1.0 / double(m_layout.parts);
    l.rowElements = m_layout.width;
    return l;
  }

private:
  int64_t size() const { return elementBytes(m_type); }

  // Elements of neighbouring columns are adjacent in memory, so a tile moves pieces as wide as its columns.
  codelets::VertexCost rearranging(int64_t elements) const {
    return m_layout.width == 1 ? codelets::stridedCopy(m_b.tile(), m_type, elements)
                               : codelets::copy2D(m_b.tile(), ceilDiv(elements, m_layout.width), m_layout.width * size(),
                                                  m_layout.width * size() % 8 == 0   ? 8
                                                  : m_layout.width * size() % 4 == 0 ? 4
                                                                                     : 2);
  }
  void rearrange(const std::string& name, const Distribution& where, const Tensor& from, const Tensor& to) const {
    Superstep step(m_b, name);
    step.copies();
    for (const auto& r : where.elementsByTile().runs())
      step.add(m_layout.width == 1 ? codelets::stridedCopySpec(m_type)
                                   : codelets::copy2DSpec(4, ceilDiv(r.value, m_layout.width)),
               rearranging(r.value), r.tiles);
    step.execute({from}, {to});
  }
  // A buffer for each tile's elements of a tensor with this layout, in the order of the exchange.
  Tensor piecesOf(const std::string& name, const Distribution& layout,
                  MemoryCategory category = MemoryCategory::Rearrangement) const {
    PerTile bytes;
    bytes.add(layout.elementsByTile(), size());
    return m_b.buffer(m_type, name, bytes, category);
  }

  // Assumes that a tile's share of the table has as many rows as columns. So a column comes from (rows / side) tiles.
  void countMessages(Traffic& traffic) const {
    const auto side = std::max<int64_t>(1, int64_t(std::sqrt(double(m_spread.maxElements()))));
    traffic.messagesIn = traffic.messagesOut = PerTile();
    for (const auto& r : traffic.bytesIn.runs()) traffic.messagesIn.add(r.tiles, ceilDiv(m_layout.rows, side));
    for (const auto& r : traffic.bytesOut.runs()) traffic.messagesOut.add(r.tiles, ceilDiv(side, m_layout.width));
  }

  const OpBuilder& m_b;
  const Tensor m_table, m_indices;
  const ElementType m_type;
  const TiedLayout m_layout;
  const Distribution m_spread, m_sliceable; // layouts of a part: that of the products, and by columns
};

} // namespace

Tensor tiedRows(const OpBuilder& builder, const Tensor& table, const Tensor& indices, int64_t parts) {
  const OpBuilder b = builder.within("tiedGather", "multiSlice");
  const TiedRows rows(b, table, indices, parts);
  const Distribution results = rows.layout().byColumns(indices.numElements());
  const codelets::LookUp lookUp = rows.lookUp(true);
  Tensor sum;
  for (int64_t part = 0; part < parts; ++part) {
    const Tensor columns = rows.brought(), in = rows.indicesEverywhere();
    const Tensor out = b.output(table.elementType(), results.shape(), part == 0 ? "out" : "partOut", results);
    rows.onColumns("multiSlice", codelets::multiSliceSpec(lookUp), codelets::multiSlice(b.tile(), lookUp), {columns, in}, {out});
    if (parts > 1) rows.inPlace("zeroOutOfRange", BinaryOp::Multiply, out, {out, in});
    if (part == 0)
      sum = out;
    else
      rows.inPlace("add", BinaryOp::Add, sum, {sum, out});
  }
  b.compute({table, indices}, {sum},
            oneResult([layout = rows.layout(), byCells = b.byCells()](const std::vector<HostTensor>& in) {
              return byCells ? layout.rowsByColumns(in[0], in[1]) : numerics::gather(in[0], in[1], 0);
            }));
  return sum;
}

void addToTiedRows(const OpBuilder& builder, const Tensor& table, const Tensor& indices, const Tensor& updates, int64_t parts) {
  const OpBuilder b = builder.within("sparseAccumulate", "multiUpdateAdd");
  const TiedRows rows(b, table, indices, parts);
  const Distribution results = rows.layout().byColumns(indices.numElements());
  const codelets::LookUp lookUp = rows.lookUp(false);
  for (int64_t part = 0; part < parts; ++part) {
    const Tensor columns = rows.brought(), in = rows.indicesEverywhere(), changes = rows.updatesBrought(updates, results);
    rows.onColumns("multiUpdateAdd", codelets::multiUpdateOpSpec(lookUp, codelets::UpdateOp::Add, true),
                   codelets::multiUpdateOp(b.tile(), lookUp, codelets::UpdateOp::Add, true), {columns, in, changes}, {columns});
    rows.bringBack(columns);
  }
  b.compute({table, indices, updates}, {table},
            oneResult([layout = rows.layout(), byCells = b.byCells()](const std::vector<HostTensor>& in) {
              const int64_t count = in[1].count();
              return byCells ? layout.sumsByColumns(in[0], in[1], in[2])
                             : numerics::scatterNd(in[0], in[1].reshaped({count, 1}), in[2].cast(in[0].type()),
                                                   numerics::ScatterReduction::Add);
            }));
}

} // namespace simcore::ops

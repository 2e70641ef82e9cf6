#include "simcore/ops/slice/slices.h"

#include "reports/core/error.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/slice.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/plan/part_counts.h"
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
using reports::roundUp;

namespace {

codelets::LookUp lookUpOf(ElementType type, int64_t offsets, double fraction, int64_t rowElements) {
  codelets::LookUp l;
  l.type = type;
  l.offsets = offsets;
  l.inRangeFraction = fraction;
  l.rowElements = rowElements;
  return l;
}

// Rounds the parts and computes their costs.
void estimate(const arch::Machine& m, ElementType type, int64_t rows, int64_t columns, int64_t indices, double availableMemory,
              const LookUpSenders& senders, LookUpPlan& p) {
  const int64_t size = elementBytes(type);
  p.rowPart = ceilDiv(rows, p.rowCuts);
  p.rowCuts = ceilDiv(rows, p.rowPart);
  p.columnPart = std::min(columns, roundUp(ceilDiv(columns, p.columnCuts), std::max<int64_t>(1, m.tile.dataPathBytes / size)));
  p.columnCuts = ceilDiv(columns, p.columnPart);
  p.resultPart = std::max<int64_t>(1, ceilDiv(indices, p.indexCuts * p.rowCuts));
  p.indexPart = std::min(std::max<int64_t>(1, indices), p.resultPart * p.rowCuts);
  p.indexCuts = std::max<int64_t>(1, ceilDiv(indices, p.indexPart));
  const int64_t held = p.rowPart * p.columnPart * size, partial = p.indexPart * p.columnPart * size;
  const int64_t table = p.indexCuts > 1 ? held - held / p.indexCuts : 0; // tiles that share a part hold a share of it each
  p.exchangeCycles =
      exchangeEstimate(m, table + p.indexPart * kIndexBytes, table && senders ? senders(p.rowPart, p.columnPart) : 1);
  p.computeCycles =
      codelets::multiSlice(m.tile, lookUpOf(type, p.indexPart, 1.0 / double(p.rowCuts), p.columnPart)).cycles.value();
  // If few tiles hold the table, each has more bytes than an even share over all tiles. The difference counts as temporary, so
  // that the memory limit covers it.
  const int64_t even = ceilDiv(rows * columns * size, m.tilesPerIpu);
  p.temporaryBytes = (table ? held : std::max<int64_t>(0, held - even)) + partial + p.indexPart * kIndexBytes;
  if (p.rowCuts > 1) {
    const int64_t gathered = p.resultPart * p.rowCuts * p.columnPart * size;
    p.exchangeCycles += exchangeEstimate(m, gathered);
    p.computeCycles += codelets::multiSlice(m.tile, lookUpOf(type, p.resultPart, 1, p.columnPart)).cycles.value();
    p.temporaryBytes += gathered;
  }
  p.fits = p.temporaryBytes <= int64_t(availableMemory * double(m.tile.memory.value()));
}

// The senders of a part of a table whose layout is known, counted as in the traffic. Results of products may lie in cells of a
// few elements; then a part comes from hundreds of tiles.
LookUpSenders sendersOf(const OpBuilder& b, const Tensor& table) {
  const auto id = table.wholeVariable();
  if (id.valid() && !b.graph().variable(id).mapped()) return {};
  return [source = b.layoutOf(table), shape = table.shape()](int64_t rows, int64_t columns) {
    if (source.shape() == shape) return source.cellsTouched(Box{{{0, rows}, {0, columns}}});
    return std::min(source.cells(), ceilDiv(rows * columns, std::max<int64_t>(1, source.maxElements())) + 1);
  };
}

// Layout of the result. If it is gathered from several tiles anyway, a tile gets whole pieces of a row, because norms and sums of
// rows would otherwise gather one vector of each row from hundreds of tiles.
Distribution resultLayout(const OpBuilder& b, const LookUpPlan& p, int64_t count, int64_t columns) {
  constexpr int64_t kStretch = 32; // elements
  const int64_t first = b.graph().nextStartTile(p.tiles()) % b.tiles();
  int64_t rowPart = p.resultPart, columnPart = p.columnPart;
  if (p.rowCuts > 1 && columnPart < kStretch) {
    columnPart = std::min(columns, columnPart * ceilDiv(kStretch, columnPart));
    rowPart = ceilDiv(count, std::max<int64_t>(1, p.tiles() / ceilDiv(columns, columnPart)));
  }
  return Distribution({count, columns}, {ceilDiv(count, rowPart), ceilDiv(columns, columnPart)}, {rowPart, columnPart}, first,
                      b.tileRange());
}

// Emits a planned look-up. Tiles are numbered in the order (index part, row part, column part).
class LookUpLowering {
public:
  LookUpLowering(const OpBuilder& b, const Tensor& table, const Tensor& indices)
      : m_b(b), m_table(table), m_indices(indices), m_rows(table.dim(0)), m_columns(table.dim(1)), m_count(indices.numElements()),
        m_plan(planLookUp(b.machine(), table.elementType(), m_rows, m_columns, m_count, b.availableMemoryProportion(),
                          sendersOf(b, table))),
        m_layout(resultLayout(b, m_plan, m_count, m_columns)) {
    b.recordPlan(m_plan.rowCuts > 1 ? "two-stage look-up" : "look-up", m_plan.text(),
                 {{"partition", {{"indices", m_plan.indexCuts}, {"rows", m_plan.rowCuts}, {"columns", m_plan.columnCuts}}},
                  {"predicted", {{"exchange", m_plan.exchangeCycles}, {"compute", m_plan.computeCycles}}}},
                 m_plan.cost());
  }

  Tensor run() {
    placeTable();
    const ElementType type = m_table.elementType();
    const Tensor out = m_b.output(type, {m_count, m_columns}, "out", m_layout);
    const std::vector<Tensor> reads = gatherOperands();
    const PerTile made = m_layout.elementsByTile();
    if (m_plan.rowCuts == 1) {
      scan("multiSlice", reads, out, made, 1);
    } else {
      PerTile held;
      for (const auto& r : everyTile().runs()) held.add(r.tiles, m_plan.indexPart * m_plan.columnPart * size());
      const Tensor partial = m_b.buffer(type, "stage0", held, MemoryCategory::Variable);
      scan("multiSlice", reads, partial, everyTile(), 1.0 / double(m_plan.rowCuts));
      PerTile elements;
      for (const auto& r : made.runs()) elements.add(r.tiles, r.value * m_plan.rowCuts);
      PerTile bytes;
      bytes.add(elements, size());
      const Tensor gathered = m_b.buffer(type, "stage1In", bytes, MemoryCategory::Message);
      m_b.exchange("gatherStage0", {partial}, {gathered},
                   m_b.trafficBlind(Distribution({m_count * m_columns * m_plan.rowCuts}, {m_plan.tiles()}, {1},
                                                 m_layout.firstTile(), m_b.tileRange()),
                                    elements, size()));
      scan("selectRows", {gathered, m_indices}, out, made, 1);
    }
    if (m_b.byCells())
      m_b.compute({m_table, m_indices}, {out}, cells());
    else
      m_b.compute({m_table, m_indices}, {out},
                  oneResult([](const std::vector<HostTensor>& in) { return numerics::gather(in[0], in[1], 0); }));
    return out;
  }

private:
  int64_t size() const { return elementBytes(m_table); }

  PerTile everyTile() const {
    std::vector<int64_t> busy(std::size_t(m_b.tiles()), 0);
    for (int64_t i = 0; i < m_plan.tiles(); ++i) busy[std::size_t((m_layout.firstTile() + i) % m_b.tiles())] = 1;
    return m_b.perTile(busy);
  }

  void placeTable() const {
    const auto id = m_table.wholeVariable();
    if (!id.valid() || m_b.graph().variable(id).mapped()) return;
    auto& v = m_b.graph().variable(id);
    if (v.shape == Shape{m_rows, m_columns} && m_plan.indexCuts == 1)
      v.distribution = Distribution({m_rows, m_columns}, {m_plan.rowCuts, m_plan.columnCuts}, {m_plan.rowPart, m_plan.columnPart},
                                    m_layout.firstTile(), m_b.tileRange());
    else
      v.distribution = m_b.linear(v.elements(), v.type);
  }

  // The part of the table and the indices that a tile needs.
  std::vector<Tensor> gatherOperands() const {
    const Distribution source = m_b.layoutOf(m_table);
    std::vector<Box> boxes;
    std::vector<int64_t> elements(std::size_t(m_b.tiles()), 0);
    for (int64_t i = 0; i < m_plan.tiles(); ++i) {
      boxes.push_back(tableBox(i / m_plan.columnCuts % m_plan.rowCuts, i % m_plan.columnCuts));
      elements[std::size_t((m_layout.firstTile() + i) % m_b.tiles())] = boxes.back().volume();
    }
    const PerTile need = m_b.perTile(elements);
    Traffic traffic = m_b.trafficTo(source, m_table.shape(), boxes, m_layout.firstTile(), need, size());
    PerTile indices, bytes;
    for (const auto& r : everyTile().runs()) indices.add(r.tiles, m_plan.indexPart);
    traffic.add(m_b.trafficBlind(m_b.layoutOf(m_indices), indices, kIndexBytes));
    bytes.add(indices, kIndexBytes);
    if (m_plan.indexCuts > 1) bytes.add(need, size());
    const Tensor in = m_b.buffer(m_table.elementType(), "in", bytes, MemoryCategory::Message);
    m_b.exchange("gatherOperands", {m_table, m_indices}, {in}, traffic);
    return {m_table, in};
  }

  Box tableBox(int64_t row, int64_t column) const {
    Box box;
    box.dims = {{row * m_plan.rowPart, std::min(m_rows, (row + 1) * m_plan.rowPart)},
                {column * m_plan.columnPart, std::min(m_columns, (column + 1) * m_plan.columnPart)}};
    return box;
  }

  void scan(const std::string& name, const std::vector<Tensor>& reads, const Tensor& out, const PerTile& on, double fraction) {
    const bool second = name == "selectRows";
    Superstep step(m_b, name);
    for (const auto& r : on.runs()) {
      const int64_t offsets =
          second || m_plan.rowCuts == 1 ? std::max<int64_t>(1, ceilDiv(r.value, m_plan.columnPart)) : m_plan.indexPart;
      const auto lookUp = lookUpOf(m_table.elementType(), offsets, fraction, m_plan.columnPart);
      step.add(codelets::multiSliceSpec(lookUp), codelets::multiSlice(m_b.tile(), lookUp), r.tiles);
    }
    step.execute(reads, {out});
  }

  // Computes stage by stage: every tile copies its rows, then each result is taken from the tile that had its row.
  HostKernel cells() const {
    return oneResult([plan = m_plan, layout = m_layout, rows = m_rows, columns = m_columns, count = m_count,
                      source = m_b.layoutOf(m_table)](const std::vector<HostTensor>& in) {
      const Pieces table(in[0], source);
      std::vector<HostTensor> partials;
      for (int64_t t = 0; t < plan.tiles(); ++t) {
        const int64_t column = t % plan.columnCuts * plan.columnPart, row = t / plan.columnCuts % plan.rowCuts * plan.rowPart,
                      first = t / (plan.columnCuts * plan.rowCuts) * plan.indexPart;
        HostTensor part(in[0].type(), {plan.indexPart, plan.columnPart});
        for (int64_t i = first; i < std::min(count, first + plan.indexPart); ++i) {
          const int64_t at = rowOf(in[1], i, rows);
          if (at < row || at >= row + plan.rowPart) continue;
          for (int64_t c = column; c < std::min(columns, column + plan.columnPart); ++c)
            table.copyElement(at * columns + c, part, (i - first) * plan.columnPart + c - column);
        }
        partials.push_back(std::move(part));
      }
      Pieces out(in[0].type(), layout);
      for (int64_t cell = 0; cell < layout.cells(); ++cell) {
        const Box box = layout.cell(cell);
        HostTensor result(in[0].type(), {box.dims[0].size(), box.dims[1].size()});
        for (int64_t i = box.dims[0].begin; i < box.dims[0].end; ++i) {
          const int64_t part = i / plan.indexPart, begin = box.dims[1].begin;
          for (int64_t at = begin; at < box.dims[1].end; at += plan.columnPart) {
            const int64_t width = std::min(plan.columnPart, box.dims[1].end - at), column = at / plan.columnPart;
            const HostTensor& from =
                partials[std::size_t((part * plan.rowCuts + rowOf(in[1], i, rows) / plan.rowPart) * plan.columnCuts + column)];
            Box source2, to;
            source2.dims = {{i % plan.indexPart, i % plan.indexPart + 1}, {0, width}};
            to.dims = {{i - box.dims[0].begin, i - box.dims[0].begin + 1}, {at - begin, at - begin + width}};
            putBox(result, to, takeBox(from, source2));
          }
        }
        out.put(cell, result);
      }
      return out.assemble({count, columns});
    });
  }

  const OpBuilder& m_b;
  const Tensor m_table, m_indices;
  const int64_t m_rows, m_columns, m_count;
  const LookUpPlan m_plan;
  const Distribution m_layout;
};

} // namespace

std::string LookUpPlan::text() const {
  return fmt::format("indices/{} rows/{} columns/{} on {} tiles", indexCuts, rowCuts, columnCuts, tiles());
}

LookUpPlan planLookUp(const arch::Machine& machine, ElementType type, int64_t rows, int64_t columns, int64_t indices,
                      double availableMemory, const LookUpSenders& senders) {
  const int64_t tiles = machine.tilesPerIpu;
  Cheapest<LookUpPlan> best;
  for (int64_t r : partCounts(std::min(tiles, rows)))
    for (int64_t c : partCounts(std::min(tiles / r, columns)))
      for (int64_t l : partCounts(std::min(tiles / (r * c), std::max<int64_t>(1, indices)))) {
        LookUpPlan p;
        p.rowCuts = r;
        p.columnCuts = c;
        p.indexCuts = l;
        estimate(machine, type, rows, columns, indices, availableMemory, senders, p);
        if (p.tiles() > tiles) continue;
        PlanCost cost = p.cost();
        // Memory does not count, so the first of equally fast plans wins: it has the fewest cuts.
        if (cost.fits) cost.temporaryBytes = 0;
        best.offer(p, cost);
      }
  return best.plan();
}

Tensor multiSlice(const OpBuilder& builder, const Tensor& table, const Tensor& indices) {
  const OpBuilder b = builder.within("multiSlice", "multiSlice");
  if (indices.numElements() == 0 || table.numElements() == 0)
    return b.output(table.elementType(), {indices.numElements(), table.dim(1)}, "out", b.linear(1, table.elementType()));
  return LookUpLowering(b, table, indices).run();
}

namespace {
int64_t fromFront(int64_t index, int64_t extent) { return index < 0 ? index + extent : index; }
} // namespace

Tensor rowNumbers(const OpBuilder& builder, const Tensor& indices, const Shape& table, std::size_t batch) {
  constexpr int64_t kCyclesPerCoordinate = 6; // a load, a wrap, a multiply and an add
  const int64_t depth = indices.shape().back(), rows = indices.numElements() / std::max<int64_t>(1, depth);
  const int64_t batches = numerics::elementCount(table, 0, batch);
  const auto numberOf = [=](const std::vector<HostTensor>& in, int64_t at) {
    int64_t row = batch ? at / (rows / batches) : 0;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t extent = table[batch + std::size_t(d)];
      row = row * extent + fromFront(in[0].integerAt(at * depth + d), extent);
    }
    return row;
  };
  return generate(builder, "rowNumbers", {indices}, ElementType::Int32, {rows},
                  kCyclesPerCoordinate * std::max<int64_t>(1, depth), {}, eachPosition(numberOf));
}

Tensor elementNumbers(const OpBuilder& builder, const Tensor& indices, const Shape& table, std::size_t axis) {
  constexpr int64_t kCycles = 14;
  const auto numberOf = [shape = indices.shape(), table, axis](const std::vector<HostTensor>& in, int64_t at) {
    const Shape from = numerics::rowMajorStrides(shape), to = numerics::rowMajorStrides(table);
    int64_t element = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      element += (d == axis ? fromFront(in[0].integerAt(at), table[d]) : at / from[d] % shape[d]) * to[d];
    return element;
  };
  return generate(builder, "elementNumbers", {indices}, ElementType::Int32, {indices.numElements()}, kCycles, {},
                  eachPosition(numberOf));
}

} // namespace simcore::ops

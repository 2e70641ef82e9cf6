#include "simcore/samples/stencil_grid.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace simcore::samples {

using namespace graph;
using reports::ceilDiv;

namespace {

int64_t tileCycles(const CompiledLoop& loop, const WorkerShares& s, int64_t rows, int64_t columns, int64_t workers) {
  return workers * (s.byColumns ? loop.cycles(rows, s.most) : loop.cycles(s.most, columns));
}

// All but the innermost dimension are rows of the loop.
int64_t rowsOf(const Box& block, std::size_t dimensions) {
  int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < dimensions; ++d) rows *= block.dims[d].size();
  return rows;
}

// Rows, with their rims, of all workers' blocks in a block of a tile. In three dimensions workers are two by three.
int64_t stitchedRows(const Shape& block, const WorkerShares& s) {
  if (block.size() == 3 && !s.byColumns) {
    const int64_t deep = std::min<int64_t>(2, block[0]), high = std::min<int64_t>(3, block[1]);
    return deep * high * (ceilDiv(block[0], deep) + 2) * (ceilDiv(block[1], high) + 2);
  }
  int64_t rows = s.most;
  if (s.byColumns) {
    rows = 1;
    for (std::size_t d = 0; d + 1 < block.size(); ++d) rows *= block[d];
  }
  return (rows + 2) * (s.withMost + s.withLeast);
}

} // namespace

WorkerShares sharesOf(int64_t rows, int64_t columns, int64_t workers, bool wholeRows) {
  WorkerShares s;
  s.byColumns =
      (!wholeRows || rows < workers) && double(rows % workers) / double(rows) > double(columns % workers) / double(columns);
  const int64_t lines = s.byColumns ? columns : rows, used = std::min(lines, workers);
  s.least = lines / used;
  s.withMost = lines % used;
  s.most = s.least + (s.withMost ? 1 : 0);
  s.withLeast = used - s.withMost;
  return s;
}

std::vector<int64_t> blocksByAspect(const Shape& shape, int64_t tiles, int64_t minimum) {
  const int64_t height = shape[0], width = shape[1];
  const int64_t mostColumns = std::clamp<int64_t>(width / minimum, 1, tiles), mostRows = std::max<int64_t>(1, height / minimum);
  const int64_t columns = std::min(mostColumns, int64_t(std::ceil(std::sqrt(double(tiles) * double(width) / double(height)))));
  return {std::min(mostRows, std::max<int64_t>(1, tiles / columns)), columns};
}

std::vector<int64_t> blocksByWork(const Shape& shape, int64_t tiles, int64_t workers, const StencilGrid::Codelet& codelet) {
  const bool flat = shape.size() == 2;
  const int64_t depth = flat ? 1 : shape[0], height = shape[shape.size() - 2], width = shape.back();
  std::vector<int64_t> best;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t d = 1; d <= std::min(depth, tiles); ++d)
    for (int64_t h = 1; h <= std::min(height, tiles / d); ++h) {
      const int64_t w = std::min(width, tiles / (d * h));
      const int64_t z = ceilDiv(depth, d), y = ceilDiv(height, h), x = ceilDiv(width, w);
      const int64_t rim = 2 * (z * y + z * x + (flat ? 0 : y * x)); // words, one a cycle
      const WorkerShares s = sharesOf(z * y, x, workers, codelet.offGridWords > 0);
      int64_t cost = tileCycles(codelet.loop, s, z * y, x, workers) + rim;
      if (codelet.offGridWords > 0) {
        cost +=
            2 * codelet.offGridWords * stitchedRows(flat ? Shape{y, x} : Shape{z, y, x}, s) * ((s.byColumns ? s.most : x) + 2);
      }
      if (cost >= least) continue;
      least = cost;
      best = flat ? std::vector<int64_t>{h, w} : std::vector<int64_t>{d, h, w};
    }
  return best;
}

StencilGrid::StencilGrid(MeasuredGraph& graph, const Shape& shape, std::size_t slabDimension, const std::vector<int64_t>& blocks,
                         ElementType type, int64_t channels)
    : m_graph(graph), m_shape(shape), m_slabDimension(slabDimension), m_type(type), m_channels(channels) {
  const auto& machine = graph.machine();
  const int64_t extent = shape[slabDimension], part = ceilDiv(extent, machine.ipus);
  std::vector<Tensor> fronts, backs;
  for (int64_t ipu = 0; ipu * part < extent; ++ipu) {
    Shape slab = shape;
    slab[slabDimension] = std::min(part, extent - ipu * part);
    std::vector<int64_t> splits = blocks;
    if (channels > 1) {
      slab.push_back(channels);
      splits.push_back(1);
    }
    Slab s;
    s.layout = Distribution(slab, splits, {}, 0, TileRange{ipu * machine.tilesPerIpu, (ipu + 1) * machine.tilesPerIpu});
    const std::string suffix = machine.ipus > 1 ? std::to_string(ipu) : "";
    s.grids = {graph.laid(type, slab, "front" + suffix, s.layout), graph.laid(type, slab, "back" + suffix, s.layout)};
    m_largest = std::max(m_largest, s.layout.maxElements());
    fronts.push_back(s.grids[0]);
    backs.push_back(s.grids[1]);
    m_slabs.push_back(std::move(s));
  }
  m_front = fronts.size() == 1 ? fronts[0] : concat(fronts, slabDimension);
  m_back = backs.size() == 1 ? backs[0] : concat(backs, slabDimension);
}

Traffic StencilGrid::rim(const Codelet& codelet) const {
  const int64_t size = ops::elementBytes(m_type);
  Traffic traffic;
  for (const Slab& slab : m_slabs) {
    auto widened = [&](std::size_t first, std::size_t last) {
      std::vector<Box> boxes;
      for (int64_t c = 0; c < slab.layout.cells(); ++c) {
        Box box = slab.layout.cell(c);
        for (std::size_t d = first; d < last; ++d)
          box.dims[d] = {std::max<int64_t>(0, box.dims[d].begin - 1), std::min(slab.layout.shape()[d], box.dims[d].end + 1)};
        boxes.push_back(std::move(box));
      }
      traffic.add(trafficTo(slab.layout, boxes, 0, slab.layout.tiles(), size));
    };
    if (codelet.diagonals)
      widened(0, m_shape.size());
    else
      for (std::size_t d = 0; d < m_shape.size(); ++d) widened(d, d + 1);
  }
  traffic.localBytes = {};
  addLinks(traffic);
  return traffic;
}

// What crosses from one slab to the next: the face of every block at its edge. Both sides send as much as they get. A face across
// the rows has a cell of each, every one a piece by itself.
void StencilGrid::addLinks(Traffic& traffic) const {
  for (std::size_t i = 0; i < m_slabs.size(); ++i) {
    const Distribution& layout = m_slabs[i].layout;
    LinkFlow down{int(i), int(i) - 1}, up{int(i), int(i) + 1};
    for (int64_t c = 0; c < layout.cells(); ++c) {
      const Box box = layout.cell(c);
      const auto& along = box.dims[m_slabDimension];
      const int64_t face = reports::roundUp(box.volume() / along.size() * ops::elementBytes(m_type), 4);
      const int64_t low = i > 0 && along.begin == 0 ? face : 0;
      const int64_t high = i + 1 < m_slabs.size() && along.end == layout.shape()[m_slabDimension] ? face : 0;
      if (low + high == 0) continue;
      const int64_t tile = layout.tileOf(c);
      traffic.linkBytesIn.add({tile, tile + 1}, low + high);
      traffic.linkBytesOut.add({tile, tile + 1}, low + high);
      const int64_t pieces = m_slabDimension + 1 == m_shape.size() ? rowsOf(box, m_shape.size()) : 1;
      down.bytes += low;
      down.pieces += low ? pieces : 0;
      up.bytes += high;
      up.pieces += high ? pieces : 0;
    }
    for (const LinkFlow& flow : {down, up})
      if (flow.bytes) traffic.linkFlows.push_back(flow);
  }
}

// Every worker's block is put together with its rim, row by row.
PerTile StencilGrid::stitchCycles(const Codelet& codelet) const {
  const auto& tile = m_graph.machine().tile;
  const int64_t cell = m_channels * ops::elementBytes(m_type);
  std::map<std::array<int64_t, 3>, int64_t> known; // by depth, rows and columns
  PerTile cycles;
  for (const Slab& slab : m_slabs)
    for (int64_t c = 0; c < slab.layout.cells(); ++c) {
      const Box box = slab.layout.cell(c);
      const int64_t rows = rowsOf(box, m_shape.size()), columns = box.dims[m_shape.size() - 1].size();
      auto [it, added] = known.try_emplace({box.dims[0].size(), rows, columns}, 0);
      if (added) {
        const WorkerShares s = sharesOf(rows, columns, tile.workers, codelet.offGridWords > 0);
        const int64_t width = (s.byColumns ? s.most : columns) + 2;
        Shape block;
        for (std::size_t d = 0; d < m_shape.size(); ++d) block.push_back(box.dims[d].size());
        const int64_t lines = stitchedRows(block, s);
        it->second = (codelet.offGridWords > 0 ? codelets::copy2D(tile, lines, 2 * width * codelet.offGridWords * 4, 4)
                                               : codelets::copy2D(tile, lines, width * cell, 8))
                         .cycles.value();
      }
      const int64_t at = slab.layout.tileOf(c);
      cycles.add({at, at + 1}, it->second);
    }
  return cycles;
}

void StencilGrid::addVertices(ops::Superstep& superstep, const Codelet& codelet) const {
  const auto& tile = m_graph.machine().tile;
  codelets::VertexState state;
  for (int edge = 0; edge < (codelet.stitch ? 2 : 6); ++edge) state.onePtr();
  state.scalar(4).scalar(4);
  const auto spec = codelets::makeSpec(codelet.name, codelets::VertexKind::Worker, codelets::VertexFamily::User,
                                       codelets::codeBytes(codelets::CodeClass::Compiled), state);
  auto add = [&](int64_t rows, int64_t columns, TileRange tiles) {
    const WorkerShares s = sharesOf(rows, columns, tile.workers, codelet.offGridWords > 0);
    for (const auto& [lines, workers] : {std::pair(s.most, s.withMost), std::pair(s.least, s.withLeast)}) {
      if (workers == 0) continue;
      const int64_t r = s.byColumns ? rows : lines, c = s.byColumns ? lines : columns;
      superstep.add(spec, {reports::Cycles(codelet.loop.cycles(r, c)), reports::Flops(codelet.flopsPerCell * r * c)}, tiles,
                    workers);
    }
  };
  for (const Slab& slab : m_slabs) {
    auto size = [&](int64_t c) {
      const Box box = slab.layout.cell(c);
      return std::pair(rowsOf(box, m_shape.size()), box.dims[m_shape.size() - 1].size());
    };
    for (int64_t c = 0; c < slab.layout.cells();) {
      const auto block = size(c);
      int64_t end = c + 1;
      while (end < slab.layout.cells() && size(end) == block) ++end;
      add(block.first, block.second, {slab.layout.tileOf(c), slab.layout.tileOf(c) + end - c});
      c = end;
    }
  }
}

void StencilGrid::step(Sequence& program, const Codelet& codelet, bool backwards, const HostKernel& kernel) {
  const Tensor& from = backwards ? m_back : m_front;
  const Tensor& to = backwards ? m_front : m_back;
  const ops::OpBuilder builder = m_graph.builder(program);
  const Traffic traffic = rim(codelet);
  std::vector<Tensor> reads{from}, buffers;
  if (!traffic.empty()) {
    PerTile bytes = traffic.bytesIn;
    bytes.add(traffic.linkBytesIn);
    buffers.push_back(builder.buffer(m_type, backwards ? "rimBack" : "rim", bytes, reports::MemoryCategory::Message));
  }
  PerTile copies;
  if (codelet.stitch) {
    copies = stitchCycles(codelet);
    PerTile bytes;
    for (const Slab& slab : m_slabs) bytes.add(slab.layout.elementsByTile(), ops::elementBytes(m_type));
    buffers.push_back(builder.buffer(m_type, backwards ? "blockBack" : "block", bytes, reports::MemoryCategory::Rearrangement));
  }
  if (!buffers.empty()) builder.exchange("halo", {from}, buffers, traffic, copies);
  ops::Superstep superstep(builder, backwards ? "outToIn" : "inToOut");
  addVertices(superstep, codelet);
  m_graph.numbers(program, codelet.name, {from}, {to}, kernel);
  reads.insert(reads.end(), buffers.begin(), buffers.end());
  superstep.execute(reads, {to});
}

} // namespace simcore::samples

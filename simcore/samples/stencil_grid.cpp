#include "simcore/samples/stencil_grid.h"

#include "simcore/codelets/code_size.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/vertex_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace simcore::samples {

using namespace graph;
using reports::ceilDiv;

namespace {

// Rows of a block: one per index of all dimensions except the innermost.
int64_t rowsOf(const Shape& block) {
  int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < block.size(); ++d) rows *= block[d];
  return rows;
}

// Cuts `length` into at most `parts` parts whose lengths differ by at most one: the lengths, and the number of each.
std::map<int64_t, int64_t> equalParts(int64_t length, int64_t parts) {
  const int64_t used = std::min(length, parts), longer = length % used;
  std::map<int64_t, int64_t> sizes;
  if (longer) sizes[length / used + 1] = longer;
  sizes[length / used] += used - longer;
  return sizes;
}

// The workers' blocks, largest first.
std::vector<WorkerBlock> bySize(const std::map<std::pair<int64_t, int64_t>, int64_t>& blocks) {
  std::vector<WorkerBlock> all;
  for (auto it = blocks.rbegin(); it != blocks.rend(); ++it) all.push_back({it->first.first, it->first.second, it->second});
  return all;
}

} // namespace

std::vector<WorkerBlock> workerBlocks(const Shape& block, int64_t workers, bool wordRows) {
  const int64_t rows = rowsOf(block), columns = block.back();
  std::map<std::pair<int64_t, int64_t>, int64_t> blocks;
  if (wordRows && block.size() == 3) {
    for (const auto& [deep, n] : equalParts(block[0], 2))
      for (const auto& [high, m] : equalParts(block[1], workers / 2)) blocks[{deep * high, columns}] += n * m;
    return bySize(blocks);
  }
  const bool byColumns = wordRows ? rows < workers && 2 * rows * ceilDiv(columns, workers) <= columns
                                  : double(rows % workers) / double(rows) > double(columns % workers) / double(columns);
  for (const auto& [part, n] : equalParts(byColumns ? columns : rows, workers))
    blocks[byColumns ? std::pair(rows, part) : std::pair(part, columns)] = n;
  return bySize(blocks);
}

std::vector<int64_t> blocksByAspect(const Shape& shape, int64_t tiles, int64_t minimum) {
  const int64_t height = shape[0], width = shape[1];
  const int64_t mostColumns = std::clamp<int64_t>(width / minimum, 1, tiles), mostRows = std::max<int64_t>(1, height / minimum);
  const int64_t columns = std::min(mostColumns, int64_t(std::ceil(std::sqrt(double(tiles) * double(width) / double(height)))));
  return {std::min(mostRows, std::max<int64_t>(1, tiles / columns)), columns};
}

std::vector<int64_t> blocksByWork(const Shape& shape, int64_t tiles, int64_t workers, const StencilGrid::Codelet& codelet) {
  const int64_t height = shape[0], width = shape[1];
  std::vector<int64_t> best;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t h = 1; h <= std::min(height, tiles); ++h) {
    const int64_t w = std::min(width, tiles / h), y = ceilDiv(height, h), x = ceilDiv(width, w);
    const WorkerBlock longest = workerBlocks({y, x}, workers, codelet.wordRows).front();
    const int64_t cost = workers * codelet.loop.cycles(longest.rows, longest.columns) + 2 * (y + x); // rim: one word per cycle
    if (cost >= least) continue;
    least = cost;
    best = {h, w};
  }
  return best;
}

// In two dimensions the rule compares lengths in whole cells, in three in fractions. Among cuts with equal surface, it takes the
// last.
std::vector<int64_t> blocksByFactors(const Shape& shape, int64_t tiles) {
  const auto part = [&](std::size_t d, int64_t splits) {
    return shape.size() == 2 ? double(shape[d] / splits) : double(float(shape[d]) / float(splits));
  };
  std::vector<int64_t> best(shape.size(), 1);
  double least = std::numeric_limits<double>::max();
  const auto consider = [&](const std::vector<int64_t>& splits, double surface) {
    if (surface > least) return;
    least = surface;
    best = splits;
  };
  for (int64_t i = 1; i <= tiles; ++i) {
    if (tiles % i != 0) continue;
    if (shape.size() == 2) {
      consider({i, tiles / i}, part(0, i) + part(1, tiles / i));
      continue;
    }
    for (int64_t j = 1; j <= tiles / i; ++j) {
      if (tiles / i % j != 0) continue;
      const double y = part(0, i), x = part(1, j), z = part(2, tiles / i / j);
      consider({i, j, tiles / i / j}, y * x + z * x + z * y);
    }
  }
  for (std::size_t d = 0; d < shape.size(); ++d) best[d] = std::clamp<int64_t>(best[d], 1, std::max<int64_t>(1, shape[d]));
  return best;
}

StencilGrid::StencilGrid(MeasuredGraph& graph, const Shape& shape, std::size_t slabDimension, const std::vector<int64_t>& blocks,
                         ElementType type, int64_t channels, int64_t border)
    : m_graph(graph), m_shape(shape), m_slabDimension(slabDimension), m_type(type), m_channels(channels) {
  const int ipus = graph.machine().ipus;
  for (int64_t& length : m_shape) length = std::max<int64_t>(1, length - 2 * border);
  const int64_t extent = m_shape[slabDimension], part = ceilDiv(extent, ipus), before = (shape[slabDimension] - extent) / 2,
                behind = shape[slabDimension] - extent - before;
  std::vector<Tensor> fronts, backs;
  for (int64_t ipu = 0; ipu * part < extent; ++ipu) {
    Shape work = m_shape, whole = shape;
    work[slabDimension] = std::min(part, extent - ipu * part);
    whole[slabDimension] =
        work[slabDimension] + (ipu == 0 ? before : 0) + (ipu * part + work[slabDimension] == extent ? behind : 0);
    addSlab(ipu, work, whole, blocks);
    fronts.push_back(m_slabs.back().grids[0]);
    backs.push_back(m_slabs.back().grids[1]);
  }
  m_front = fronts.size() == 1 ? fronts[0] : concat(fronts, slabDimension);
  m_back = backs.size() == 1 ? backs[0] : concat(backs, slabDimension);
}

void StencilGrid::addSlab(int64_t ipu, Shape work, Shape whole, std::vector<int64_t> splits) {
  const auto& machine = m_graph.machine();
  if (m_channels > 1) {
    work.push_back(m_channels);
    whole.push_back(m_channels);
    splits.push_back(1);
  }
  Slab s;
  const TileRange tiles{ipu * machine.tilesPerIpu, (ipu + 1) * machine.tilesPerIpu};
  s.work = Distribution(work, splits, {}, 0, tiles);
  s.layout = Distribution(whole, splits, {}, 0, tiles);
  const std::string suffix = machine.ipus > 1 ? std::to_string(ipu) : "";
  for (const char* name : {"front", "back"}) s.grids.push_back(m_graph.laid(m_type, whole, name + suffix, s.layout));
  m_slabs.push_back(std::move(s));
}

Tensor StencilGrid::another(const std::string& name) {
  std::vector<Tensor> parts;
  for (const Slab& slab : m_slabs) parts.push_back(m_graph.laid(m_type, slab.layout.shape(), name, slab.layout));
  return parts.size() == 1 ? parts[0] : concat(parts, m_slabDimension);
}

Shape StencilGrid::blockOf(const Slab& slab, int64_t cell) const {
  const Box box = slab.work.cell(cell);
  Shape block;
  for (std::size_t d = 0; d < m_shape.size(); ++d) block.push_back(box.dims[d].size());
  return block;
}

// cost(block) on the tile of each block. It is computed once per shape, because blocks have few different shapes.
template<class Cost> PerTile StencilGrid::perBlock(Cost cost) const {
  std::map<Shape, int64_t> known;
  PerTile all;
  for (const Slab& slab : m_slabs)
    for (int64_t c = 0; c < slab.work.cells(); ++c) {
      const Shape block = blockOf(slab, c);
      auto [it, added] = known.try_emplace(block, 0);
      if (added) it->second = cost(block);
      const int64_t at = slab.work.tileOf(c);
      all.add({at, at + 1}, it->second);
    }
  return all;
}

PerTile StencilGrid::blockBytes() const {
  PerTile bytes;
  for (const Slab& slab : m_slabs) bytes.add(slab.work.elementsByTile(), ops::elementBytes(m_type));
  return bytes;
}

namespace {
// Bytes that leave the tile of each block if all blocks get a rim one element wide in dimensions [first, last): each face that
// has a neighbour is sent once.
PerTile rimBytesOut(const Distribution& blocks, std::size_t first, std::size_t last, int64_t elementBytes) {
  PerTile out;
  for (int64_t c = 0; c < blocks.cells(); ++c) {
    const Box box = blocks.cell(c);
    int64_t kept = 1;
    for (std::size_t d = 0; d < box.dims.size(); ++d) {
      const auto& side = box.dims[d];
      const bool isTaken = d >= first && d < last;
      kept *= std::max<int64_t>(0, side.size() - (isTaken && side.begin > 0) - (isTaken && side.end < blocks.shape()[d]));
    }
    const int64_t tile = blocks.tileOf(c);
    if (const int64_t sent = box.volume() - kept) out.add({tile, tile + 1}, sent * elementBytes);
  }
  return out;
}
} // namespace

Traffic StencilGrid::rim(const Codelet& codelet) const {
  const int64_t size = ops::elementBytes(m_type);
  Traffic traffic;
  for (const Slab& slab : m_slabs) {
    auto widened = [&](std::size_t first, std::size_t last) {
      std::vector<Box> boxes;
      for (int64_t c = 0; c < slab.work.cells(); ++c) {
        Box box = slab.work.cell(c);
        for (std::size_t d = first; d < last; ++d)
          box.dims[d] = {std::max<int64_t>(0, box.dims[d].begin - 1), std::min(slab.work.shape()[d], box.dims[d].end + 1)};
        boxes.push_back(std::move(box));
      }
      Traffic taken = trafficTo(slab.work, boxes, 0, slab.work.tiles(), size);
      taken.bytesOut = rimBytesOut(slab.work, first, last, size); // trafficTo spreads the bytes evenly over the tiles
      traffic.add(taken);
    };
    if (codelet.diagonals)
      widened(0, m_shape.size());
    else
      for (std::size_t d = 0; d < m_shape.size(); ++d) widened(d, d + 1);
  }
  traffic.localBytes = {};
  addLinks(traffic, codelet);
  return traffic;
}

// The data that cross from one slab to the next: the face of every block at the slab's edge. Both sides send as many bytes as
// they receive. A face across the rows has one cell per row: if cells are words, they are first packed on their tile; otherwise
// each cell is a separate piece.
void StencilGrid::addLinks(Traffic& traffic, const Codelet& codelet) const {
  for (std::size_t i = 0; i < m_slabs.size(); ++i) {
    const Distribution& layout = m_slabs[i].work;
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
      const bool scattered = m_slabDimension + 1 == m_shape.size() && !codelet.wordRows;
      const int64_t pieces = scattered ? rowsOf(blockOf(m_slabs[i], c)) : 1;
      down.bytes += low;
      down.pieces += low ? pieces : 0;
      up.bytes += high;
      up.pieces += high ? pieces : 0;
    }
    for (const LinkFlow& flow : {down, up})
      if (flow.bytes) traffic.linkFlows.push_back(flow);
  }
}

// Cycles of joining the block and its rim row by row. With word rows, all rows are copied once for all workers; otherwise each
// worker copies the rows it reads. Words that go to another IPU are gathered first.
PerTile StencilGrid::stitchCycles(const Codelet& codelet) const {
  const auto& tile = m_graph.machine().tile;
  const int64_t cell = m_channels * ops::elementBytes(m_type);
  const bool gathered = codelet.wordRows && m_slabs.size() > 1 && m_slabDimension + 1 == m_shape.size();
  return perBlock([&](const Shape& block) {
    int64_t lines = 0, width = block.back() + 2;
    if (codelet.wordRows) {
      lines = 1;
      for (std::size_t d = 0; d + 1 < block.size(); ++d) lines *= block[d] + 2;
    } else {
      const auto workers = workerBlocks(block, tile.workers, false);
      for (const WorkerBlock& w : workers) lines += (w.rows + 2) * w.workers;
      width = workers.front().columns + 2;
    }
    const auto stitch = codelets::copy2D(tile, lines, width * cell, codelet.wordRows ? 4 : 8);
    return codelet.timesCopied * stitch.cycles.value() +
           (gathered ? codelets::stridedCopy(tile, m_type, rowsOf(block)).cycles.value() : 0);
  });
}

void StencilGrid::addVertices(ops::Superstep& superstep, const Codelet& codelet) const {
  const auto& tile = m_graph.machine().tile;
  codelets::VertexState state;
  for (int edge = 0; edge < (codelet.stitch ? 2 : 6); ++edge) state.onePtr();
  state.scalar(4).scalar(4);
  const auto spec = codelets::makeSpec(codelet.name, codelets::VertexKind::Worker, codelets::VertexFamily::User,
                                       codelets::codeBytes(codelets::CodeClass::Compiled), state);
  const auto add = [&](const Shape& block, TileRange tiles) {
    for (const WorkerBlock& w : workerBlocks(block, tile.workers, codelet.wordRows))
      superstep.add(
          spec,
          {reports::Cycles(codelet.loop.cycles(w.rows, w.columns)), reports::Flops(codelet.flopsPerCell * w.rows * w.columns)},
          tiles, w.workers);
  };
  for (const Slab& slab : m_slabs)
    for (int64_t c = 0; c < slab.work.cells();) {
      const Shape block = blockOf(slab, c);
      int64_t end = c + 1;
      while (end < slab.work.cells() && blockOf(slab, end) == block) ++end;
      add(block, {slab.work.tileOf(c), slab.work.tileOf(c) + end - c});
      c = end;
    }
}

// Moves the results of shifted vertices: a column of words goes to the neighbour, the rest is copied one word per instruction.
void StencilGrid::settle(Sequence& program, const Tensor& results, const Tensor& to) const {
  const auto& tile = m_graph.machine().tile;
  const PerTile column = perBlock([&](const Shape&block) { return rowsOf(block) * ops::elementBytes(m_type); }),
                copies = perBlock([&](const Shape&block) {
                  return codelets::copy2D(tile, rowsOf(block), block.back() * ops::elementBytes(m_type), 4).cycles.value();
                }),
                one = perBlock([](const Shape&) { return 1; });
  m_graph.builder(program).exchange("settle", {results}, {to}, {{column, column, one, one, {}, {}, {}}, {}, {}, {}, {}, {}},
                                    copies);
}

void StencilGrid::step(Sequence& program, const Codelet& codelet, bool backwards, const HostKernel& kernel,
                       const std::vector<Tensor>& besides) {
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
    buffers.push_back(
        builder.buffer(m_type, backwards ? "blockBack" : "block", blockBytes(), reports::MemoryCategory::Rearrangement));
  }
  if (!buffers.empty()) builder.exchange("halo", {from}, buffers, traffic, copies);
  ops::Superstep superstep(builder, backwards ? "outToIn" : "inToOut");
  addVertices(superstep, codelet);
  std::vector<Tensor> inputs{from}, outputs{to};
  for (std::vector<Tensor>* list : {&inputs, &outputs}) list->insert(list->end(), besides.begin(), besides.end());
  m_graph.numbers(program, codelet.name, inputs, outputs, kernel);
  reads.insert(reads.end(), buffers.begin(), buffers.end());
  reads.insert(reads.end(), besides.begin(), besides.end());
  if (codelet.shifted) {
    outputs[0] =
        builder.buffer(m_type, backwards ? "resultsBack" : "results", blockBytes(), reports::MemoryCategory::Rearrangement);
    superstep.execute(reads, outputs);
    settle(program, outputs[0], to);
  } else {
    superstep.execute(reads, outputs);
  }
}

} // namespace simcore::samples

// Tile mappings of tensors, and virtual graphs, which number tiles differently.
#include "simcore/graph/graph.h"

#include "reports/core/error.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace simcore::graph {

using reports::Error;
using reports::ErrorCode;

void Graph::refuseTile(TileId tile, const std::string& what) const {
  throw Error(ErrorCode::InvalidInput, "tile " + std::to_string(int64_t(tile.value())) + " does not exist", what,
              std::string(isVirtual() ? "this virtual graph" : "this machine") + " has tiles 0 to " +
                  std::to_string(tiles() - 1));
}

void Graph::mapRegion(const Region& region, TileId tile) {
  Variable& v = variable(region.variable);
  v.distribution = Distribution();
  auto& m = v.mapping;
  auto runAt = [&](int64_t e) {
    return std::prev(std::upper_bound(m.begin(), m.end(), e, [](int64_t x, const MappingRun& r) { return x < r.begin; }));
  };
  const int64_t n = v.elements();
  const TileId after = region.end < n ? runAt(region.end)->tile : TileId();
  auto first = std::lower_bound(m.begin(), m.end(), region.begin, [](const MappingRun& r, int64_t x) { return r.begin < x; });
  auto last = std::lower_bound(m.begin(), m.end(), region.end, [](const MappingRun& r, int64_t x) { return r.begin < x; });
  const bool keepsEnd = last != m.end() && last->begin == region.end;
  std::vector<MappingRun> replacement{{region.begin, tile}};
  if (region.end < n && !keepsEnd) replacement.push_back({region.end, after});
  const auto at = m.erase(first, last) - m.begin();
  m.insert(m.begin() + at, replacement.begin(), replacement.end());
}

void Graph::setTileMapping(const Tensor& tensor, TileId tile) {
  if (!hasTile(tile)) refuseTile(tile, tensor.getDebugStr());
  const TileId place = topLevelTile(int64_t(tile.value()));
  for (const Region& r : tensor.contiguousRegions()) mapRegion(r, place);
}

void Graph::setTileMapping(const Tensor& tensor, const std::vector<std::vector<Interval>>& mapping) {
  const Tensor flat = tensor.flatten();
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const Interval& i : mapping[tile]) setTileMapping(flat.slice(i.begin, i.end), TileId(tile));
}

void Graph::setDistribution(const Tensor& tensor, Distribution distribution) {
  const VariableId id = tensor.wholeVariable();
  if (!id.valid()) throw Error(ErrorCode::Internal, "a distribution is set on whole variables only");
  variable(id).distribution = std::move(distribution);
}

namespace {
// Ends of the cells of a variable's distribution, in box order: ranges of the flattened variable, cell by cell.
std::vector<int64_t> cellEnds(const Distribution& d) {
  std::vector<int64_t> ends;
  ends.reserve(std::size_t(d.cells()));
  for (int64_t c = 0; c < d.cells(); ++c) ends.push_back((ends.empty() ? 0 : ends.back()) + d.cell(c).volume());
  return ends;
}

// Splits a region by tile and calls f(tile, elements) for each piece, in order. `ends`: cellEnds() if `v` has a distribution.
template<class F> void forEachStretch(const Variable& v, const Region& r, const std::vector<int64_t>& ends, F f) {
  if (const auto& d = v.distribution; d.valid()) {
    auto cell = std::upper_bound(ends.begin(), ends.end(), r.begin) - ends.begin();
    for (int64_t at = r.begin; at < r.end && cell < d.cells(); ++cell) {
      const int64_t end = std::min(ends[std::size_t(cell)], r.end);
      if (at < end) f(TileId(std::size_t(d.tileOf(cell))), end - at);
      at = std::max(at, end);
    }
    return;
  }
  auto it = std::prev(
      std::upper_bound(v.mapping.begin(), v.mapping.end(), r.begin, [](int64_t x, const MappingRun& m) { return x < m.begin; }));
  for (int64_t e = r.begin; e < r.end; ++it) {
    const int64_t end = std::min(r.end, std::next(it) == v.mapping.end() ? r.end : std::next(it)->begin);
    f(it->tile, end - e);
    e = end;
  }
}
} // namespace

std::vector<std::vector<Interval>> Graph::getTileMapping(const Tensor& tensor) const {
  std::vector<std::vector<Interval>> byTile(static_cast<std::size_t>(tiles()));
  std::vector<int64_t> own; // by tile of the machine: the tile of this graph
  if (m_tiles) {
    own.assign(std::size_t(now().machine.tiles()), -1);
    for (std::size_t i = 0; i < m_tiles->size(); ++i) own[std::size_t((*m_tiles)[i])] = int64_t(i);
  }
  int64_t at = 0;
  const auto give = [&](TileId tile, int64_t size) {
    at += size;
    if (!tile.valid()) return;
    if (!own.empty() && own[tile.value()] < 0)
      throw Error(ErrorCode::InvalidInput,
                  "elements are on tile " + std::to_string(tile.value()) +
                      " of the machine, which the virtual graph does not have",
                  tensor.getDebugStr(), "ask the top-level graph");
    auto& list = byTile[own.empty() ? tile.value() : std::size_t(own[tile.value()])];
    if (!list.empty() && list.back().end == at - size)
      list.back().end = at;
    else
      list.push_back({at - size, at});
  };
  std::unordered_map<VariableId, std::vector<int64_t>> ends; // a view may have very many regions of a variable
  for (const Region& r : tensor.contiguousRegions()) {
    const Variable& v = variable(r.variable);
    auto& cells = ends[r.variable];
    if (cells.empty() && v.distribution.valid()) cells = cellEnds(v.distribution);
    forEachStretch(v, r, cells, give);
  }
  return byTile;
}

void Graph::mapTensorLinearly(const Tensor& tensor, int64_t grain) { mapTensorLinearlyWithOffset(tensor, 0, grain); }

int64_t Graph::mapTensorLinearlyWithOffset(const Tensor& tensor, int64_t firstTile, int64_t grain) {
  const int64_t size = int64_t(numerics::deviceSize(tensor.elementType()));
  if (firstTile < 0 || firstTile >= tiles()) refuseTile(TileId(std::size_t(firstTile)), tensor.getDebugStr());
  if (grain <= 0) grain = std::max<int64_t>(1, now().machine.tile.dataPathBytes / size);
  const Distribution d =
      Distribution::linear(tensor.numElements(), size, firstTile, {0, tiles()}, grain, now().machine.leastLinearBytes);
  const int64_t next = (firstTile + d.cells()) % tiles();
  if (const VariableId id = tensor.wholeVariable(); id.valid()) {
    auto& m = variable(id).mapping;
    m.clear();
    variable(id).distribution = Distribution();
    for (int64_t c = 0; c < d.cells(); ++c) m.push_back({d.cell(c).dims[0].begin, topLevelTile(d.tileOf(c))});
    return next;
  }
  const Tensor flat = tensor.flatten();
  for (int64_t c = 0; c < d.cells(); ++c) {
    const auto r = d.cell(c).dims[0];
    setTileMapping(flat.slice(r.begin, r.end), TileId(std::size_t(d.tileOf(c))));
  }
  return next;
}

int64_t Graph::nextStartTile(int64_t tilesUsed) {
  Contents& c = edit();
  const int64_t start = c.startTile % tiles();
  c.startTile = (start + tilesUsed) % tiles();
  return start;
}

Tensor Graph::clone(ElementType type, const Tensor& tensor, std::string name, DebugContextId context) {
  Tensor copy = addVariable(type, tensor.shape(), std::move(name), context);
  if (const VariableId whole = tensor.wholeVariable(); whole.valid()) {
    const Variable original = std::as_const(*this).variable(whole);
    Variable& v = variable(copy.wholeVariable());
    v.distribution = original.distribution.valid() && original.distribution.shape() != tensor.shape()
                         ? original.distribution.flattened()
                         : original.distribution;
    v.mapping = original.mapping;
    v.alignment = original.alignment;
    v.interleaved = original.interleaved;
    return copy;
  }
  const auto mapping = getTopLevelGraph().getTileMapping(tensor);
  const Tensor flat = copy.flatten();
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const Interval& i : mapping[tile])
      for (const Region& r : flat.slice(i.begin, i.end).contiguousRegions()) mapRegion(r, TileId(tile));
  return copy;
}

Tensor Graph::cloneN(ElementType type, const Tensor& tensor, int64_t n, const std::string& name, DebugContextId context) {
  if (n < 1) throw Error(ErrorCode::InvalidInput, "cannot be cloned " + std::to_string(n) + " times", tensor.getDebugStr());
  std::vector<Tensor> copies;
  for (int64_t i = 0; i < n; ++i) copies.push_back(clone(type, tensor, name + "/" + std::to_string(i), context).expand({0}));
  return concat(copies);
}

// Virtual graphs.

Graph Graph::withTiles(std::vector<int64_t> tiles) const {
  if (tiles.empty()) throw Error(ErrorCode::InvalidInput, "a virtual graph needs at least one tile", "createVirtualGraph");
  std::vector<int64_t> sorted = tiles;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw Error(ErrorCode::InvalidInput, "tile " + std::to_string(*twice) + " is in the list twice", "createVirtualGraph");
  for (const int64_t t : {sorted.front(), sorted.back()})
    if (t < 0 || t >= this->tiles())
      throw Error(ErrorCode::InvalidInput, "tile " + std::to_string(t) + " does not exist", "createVirtualGraph",
                  "this graph has tiles 0 to " + std::to_string(this->tiles() - 1));
  for (int64_t& t : tiles) t = int64_t(topLevelTile(t).value());
  return Graph(m_cell, std::make_shared<const std::vector<int64_t>>(std::move(tiles)));
}

Graph Graph::createVirtualGraph(int64_t lowerTile, int64_t upperTile) const {
  std::vector<int64_t> list;
  for (int64_t t = lowerTile; t < upperTile; ++t) list.push_back(t);
  return withTiles(std::move(list));
}

Graph Graph::createVirtualGraph(const std::vector<int64_t>& perIpuTiles) const {
  const arch::Machine target = getTarget();
  for (const int64_t t : perIpuTiles)
    if (t < 0 || t >= target.tilesPerIpu)
      throw Error(ErrorCode::InvalidInput, "tile " + std::to_string(t) + " does not exist", "createVirtualGraph",
                  "an IPU of this graph has tiles 0 to " + std::to_string(target.tilesPerIpu - 1));
  std::vector<int64_t> list;
  for (int64_t ipu = 0; ipu < target.ipus; ++ipu)
    for (const int64_t t : perIpuTiles) list.push_back(ipu * target.tilesPerIpu + t);
  return withTiles(std::move(list));
}

Graph Graph::createVirtualGraph(int64_t tilesPerIpu) const {
  std::vector<int64_t> list;
  for (int64_t t = 0; t < tilesPerIpu; ++t) list.push_back(t);
  return createVirtualGraph(list);
}

std::vector<int> Graph::topLevelIpus() const {
  std::vector<int> ipus;
  for (int64_t t = 0; t < tiles(); ++t) ipus.push_back(int(int64_t(topLevelTile(t).value()) / now().machine.tilesPerIpu));
  std::sort(ipus.begin(), ipus.end());
  ipus.erase(std::unique(ipus.begin(), ipus.end()), ipus.end());
  return ipus;
}

arch::Machine Graph::getTarget() const {
  arch::Machine target = now().machine;
  if (!m_tiles) return target;
  // On as many IPUs as the list touches, if they have equal shares; else on one.
  std::vector<int64_t> share(std::size_t(target.ipus), 0);
  for (const int64_t t : *m_tiles) ++share[std::size_t(t / target.tilesPerIpu)];
  share.erase(std::remove(share.begin(), share.end(), 0), share.end());
  const bool equal = std::all_of(share.begin(), share.end(), [&](int64_t s) { return s == share[0]; });
  const int perIpu = target.tilesPerIpu;
  target.ipus = equal ? int(share.size()) : 1;
  target.tilesPerIpu = int(int64_t(m_tiles->size()) / target.ipus);
  target.ioTiles = 0;             // the graph consists of these tiles, including I/O tiles
  std::vector<int> columns, rows; // the tiles' positions on the first IPU
  for (int i = 0; i < target.tilesPerIpu; ++i) {
    const auto tile = std::size_t((*m_tiles)[std::size_t(i)] % perIpu);
    if (tile < target.tileColumns.size()) columns.push_back(target.tileColumns[tile]), rows.push_back(target.tileRows[tile]);
  }
  target.tileColumns = std::move(columns);
  target.tileRows = std::move(rows);
  return target;
}

} // namespace simcore::graph

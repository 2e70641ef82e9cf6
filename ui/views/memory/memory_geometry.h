// Positions of tiles and bytes on the memory view's axes, without a widget: the order of tiles along the curve, the selection as
// spans of that axis and as text, and the pieces of one tile's address strip. Variables that share addresses are on separate lanes.
#pragma once

#include "analyser/memory/tile_details.h"
#include "analyser/memory/tile_memory.h"
#include "reports/core/range.h"

#include <QString>

#include <memory>
#include <span>
#include <vector>

namespace ui::memory {

enum class Order { Software, Physical, Ipus }; // Ipus: one position per IPU, with the sum of its tiles

struct TileAxis {
  std::vector<int> tiles;      // in the order of the axis
  std::vector<int> positionOf; // by tile; -1: not on the axis
  int tilesAPosition = 1;      // 1, or the number of tiles of an IPU
  int size() const { return int(tiles.size()) / tilesAPosition; }
  std::span<const int> tilesAt(int position) const {
    return std::span(tiles).subspan(std::size_t(position) * std::size_t(tilesAPosition), std::size_t(tilesAPosition));
  }
};

// `ipu` below 0: all IPUs.
TileAxis tileAxis(const analyser::Machine& machine, int ipu, Order order);
// The sum of the tiles at each position.
std::shared_ptr<const std::vector<int64_t>> valuesAlong(const TileAxis& axis, const std::vector<reports::Bytes>& byTile);
// Positions of the selected tiles, neighbours merged, ascending.
std::vector<reports::Range<int64_t>> selectionAlong(const TileAxis& axis, std::span<const reports::TileId> tiles);
// First position of every IPU with its name; empty for one IPU, and if every position is an IPU.
std::vector<std::pair<int64_t, QString>> ipuMarks(const analyser::Machine& machine, const TileAxis& axis);
// Per tile, the sum of the visible parts.
std::vector<reports::Bytes> sumOfShown(const std::vector<analyser::memory::TileSeries>& parts, const std::vector<bool>& shown);

// For each of `shares` (ascending), the value that this share of some positions does not exceed, e.g. 0.5 for the median.
struct Percentiles {
  reports::Range<int64_t> positions;
  std::vector<int64_t> at; // by share
};
// Percentiles of each group of positions. A group begins at each of `starts` (ascending), e.g. at each IPU, because IPUs hold
// different stages; without `starts`, all positions are one group. `along`: the value at each position.
std::vector<Percentiles> percentiles(std::span<const int64_t> along, std::span<const double> shares,
                                     std::vector<int64_t> starts = {});

// The `most` largest parts in their order, and all others as one at the end: sixteen hues are too hard to distinguish.
std::vector<analyser::memory::TileSeries> foldSmallParts(std::vector<analyser::memory::TileSeries> parts, std::size_t most);

// One variable on the address strip, in pixels; right > left.
struct StripPiece {
  int variable = 0; // index into TileLayout::variables
  double left = 0, right = 0;
  int lane = 0;  // 0 at the top
  int lanes = 1; // number of lanes in this range of addresses
};
struct Strip {
  std::vector<StripPiece> pieces;
  reports::Range<int64_t> addresses; // displayed range: up to the end of the tile's memory, or of the variables beyond it
};
// A group of overlapping variables gets as many lanes as it needs, at most `mostLanes`; further overlaps share the last lane. A
// variable alone at its addresses has the full height.
Strip layoutStrip(const analyser::memory::TileLayout& layout, reports::Range<int64_t> addresses, double width, int mostLanes);
// The power of two between labelled addresses, which are at least `spacing` pixels apart.
int64_t addressStep(reports::Range<int64_t> addresses, double width, double spacing);
reports::Range<int64_t> stripExtent(const analyser::memory::TileLayout& layout);

} // namespace ui::memory

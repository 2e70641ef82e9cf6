// Layout of a tensor over tiles by a library op: the shape is cut into a regular grid of boxes; box i is on tile firstTile + i of
// the used tiles (one IPU, or part of one), wrapping around. All planners use this form, so the exchange between two ops is
// computed from boxes, without a pass over elements.
#pragma once

#include "reports/core/tile_pairs.h"
#include "simcore/graph/layout_note.h"
#include "simcore/graph/per_tile.h"
#include "simcore/numerics/shape.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace simcore::graph {

using numerics::Shape;

// One range per dimension.
struct Box {
  std::vector<reports::Range<int64_t>> dims;
  int64_t volume() const;
  Box intersection(const Box& other) const;
};

struct ViewedLayout; // viewed_layout.h

class Distribution {
public:
  Distribution() = default;
  // `splits[d]` parts along dimension d, each a multiple of grains[d] except the last; parts beyond the extent are dropped, so
  // splits() may be smaller than requested. `firstTile` counts within `tiles`.
  Distribution(Shape shape, std::vector<int64_t> splits, std::vector<int64_t> grains, int64_t firstTile, TileRange tiles);
  Distribution(Shape shape, std::vector<int64_t> splits, std::vector<int64_t> grains, int64_t firstTile, int64_t tileCount)
      : Distribution(std::move(shape), std::move(splits), std::move(grains), firstTile, TileRange{0, tileCount}) {}
  // The linear mapping of poputil: `elements` in equal shares with this grain and at least `minBytes` per tile
  // (arch::Machine::leastLinearBytes).
  static Distribution linear(int64_t elements, int64_t elementBytes, int64_t firstTile, TileRange tiles, int64_t grain,
                             int64_t minBytes = 128);

  const Shape& shape() const { return m_shape; }
  const std::vector<int64_t>& splits() const { return m_splits; }
  int64_t part(std::size_t dim) const { return m_parts[dim]; } // extent of a cell; the last cells may be smaller
  int64_t cells() const { return m_cells; }
  int64_t firstTile() const { return m_firstTile; }
  TileRange tiles() const { return {m_base, m_base + m_tileCount}; }
  bool valid() const { return m_cells > 0; }

  int64_t tileOf(int64_t cell) const { return m_base + (m_firstTile + cell) % m_tileCount; }
  // The cell on a tile, or -1. (A tile has at most one cell, because there are never more cells than tiles.)
  int64_t cellOn(int64_t tile) const;
  Box cell(int64_t index) const;
  // Number of cells that overlap a box.
  int64_t cellsTouched(const Box& box) const;
  // Elements on each tile.
  PerTile elementsByTile() const;
  int64_t maxElements() const;

  // The same placement after a permutation of dimensions.
  Distribution permuted(const std::vector<int64_t>& order) const;
  // The same cells for a tensor of another shape with the same element count. Only the number and sizes of the cells stay, so the
  // result is a grid over the flattened elements. Its grid() counts the elements row by row; with `matrices` other than 0, grid()
  // is instead [1, matrices x columns, rows, 1] for a tensor [matrices, rows, columns].
  Distribution flattened(int64_t matrices = 0) const;
  // The same cells on the tiles of another range of equal size, e.g. another IPU.
  Distribution movedTo(TileRange tiles) const;
  bool sameAs(const Distribution& other) const;
  // The original grid of a flattened layout, for callers that know its dimensions; null for other layouts.
  const Distribution* grid() const { return m_grid.get(); }
  int64_t gridMatrices() const { return m_matrices; }
  // Whether only volumes are known: the elements of the cells, or their tiles, are a guess.
  bool isEstimate() const { return m_isEstimate; }
  Distribution estimated() const { return withEstimate(true); }
  Distribution laidOut() const { return withEstimate(false); } // for a tensor that actually has this layout now
  // For a view, whose own layout is an estimate: the layout of its variable, and which elements the view reads. Null: unknown.
  const ViewedLayout* viewed() const { return m_viewed.get(); }
  Distribution viewing(std::shared_ptr<const ViewedLayout> viewed) const {
    Distribution d = *this;
    d.m_viewed = std::move(viewed);
    return d;
  }
  // For weights laid out by a product: the key of its plan; memory holds the plan's slices in order. 0: ordinary element order.
  uint64_t laidFor() const { return m_laidFor; }
  Distribution laidFor(uint64_t plan) const {
    Distribution d = *this;
    d.m_laidFor = plan;
    return d;
  }
  // Whether the elements of each tile are known: the layout is not a guess, has no slices, and its grid has the same cells on the
  // same tiles.
  bool isCertain() const;

private:
  Distribution withEstimate(bool is) const {
    Distribution d = *this;
    d.m_isEstimate = is;
    d.m_viewed = nullptr;
    return d;
  }
  Shape m_shape;
  std::vector<int64_t> m_splits, m_parts; // m_parts: extent of one part along each dimension
  int64_t m_cells = 0, m_firstTile = 0, m_base = 0, m_tileCount = 1, m_matrices = 0;
  uint64_t m_laidFor = 0;
  bool m_isEstimate = false;
  std::shared_ptr<const Distribution> m_grid;
  std::shared_ptr<const ViewedLayout> m_viewed;
};

// Bytes from one IPU to another. Numbers beyond the graph's IPUs mean the same IPU in other replicas.
struct LinkFlow {
  int from = 0, to = 0;
  int64_t bytes = 0;
  int64_t pieces = 0; // separate packets of non-contiguous data; 0 if no planner counted them
  bool operator==(const LinkFlow&) const = default;
};

// Bytes by sender and receiver tile. A word for several tiles counts for each receiver, although it leaves its tile once.
using Pairs = std::vector<reports::PairRun>;
// Pairs that repetitions of an exchange share: a sequence of parts, each with an offset for its tiles.
class SharedPairs {
public:
  struct Part {
    std::shared_ptr<const Pairs> runs;
    int64_t offset = 0;
  };
  SharedPairs() = default;
  SharedPairs(Pairs runs) { // NOLINT: pairs that are not shared
    if (!runs.empty()) m_parts.push_back({std::make_shared<const Pairs>(std::move(runs)), 0});
  }
  SharedPairs(std::shared_ptr<const Pairs> runs, int64_t offset) {
    if (!runs->empty()) m_parts.push_back({std::move(runs), offset});
  }
  bool empty() const { return m_parts.empty(); }
  void clear() { m_parts.clear(); }
  const std::vector<Part>& parts() const { return m_parts; }
  std::size_t size() const {
    std::size_t runs = 0;
    for (const Part& p : m_parts) runs += p.runs->size();
    return runs;
  }
  void add(const SharedPairs& other) { m_parts.insert(m_parts.end(), other.m_parts.begin(), other.m_parts.end()); }
  Pairs runs(int64_t base = 0) const { // tile numbers are relative to `base`
    Pairs all;
    all.reserve(size());
    for (const Part& p : m_parts)
      for (reports::PairRun run : *p.runs) {
        run.receiver += int32_t(p.offset - base), run.sender += int32_t(p.offset - base);
        all.push_back(run);
      }
    return all;
  }

private:
  std::vector<Part> m_parts;
};
// Limit of runs: an exchange with more stores no pairs.
inline constexpr std::size_t kKeptPairRuns = reports::kMostPairRuns;

// Bytes that tiles send and receive in one exchange.
struct TileTraffic {
  PerTile bytesIn, bytesOut;
  PerTile messagesIn, messagesOut;
  PerTile sharedIn;                 // part of bytesIn that the neighbour on the same bus (tile ^ 1) receives at the same time
  PerTile latencyIn;                // cycles of a word from the farthest sender; empty: unknown
  SharedPairs pairs;                // of bytesIn; empty: unknown
  std::vector<MoveNote> notes = {}; // for operands that move, also over links, if a planner gives their layout
  void add(const TileTraffic& other);
};

// Law of exchange: all tiles together send at most the bytes they receive (a word for several tiles leaves its tile once), and
// more than 0 if any bytes are received. Plans that only estimate volumes round them on every tile, which may violate the law.
// Then bytesOut becomes the bytes received, split into whole words in proportion to `holders`.
void obeySendingLaw(TileTraffic& traffic, const PerTile& holders);

// Bytes that must move so that every tile has its box, computed from two layouts. The base class has the traffic between tiles of
// one IPU.
struct Traffic : TileTraffic {
  PerTile localBytes;                // already on the right tile; copied there if rearranged
  PerTile linkBytesIn, linkBytesOut; // from and to other IPUs; not part of bytesIn and bytesOut
  std::vector<LinkFlow> linkFlows;   // bytes by sender and receiver IPU, if given by a planner; else derived from the bytes
  SharedPairs linkPairs;             // of linkBytesIn; empty: unknown
  int64_t totalIn() const { return bytesIn.sum() + linkBytesIn.sum(); }
  bool empty() const { return bytesIn.empty() && linkBytesIn.empty(); }
  void add(const Traffic& other);
};
// Neighbours on one exchange bus are tiles 2 k and 2 k + 1 (ipu-reference 5.3).
inline int64_t busPartner(int64_t tile) { return tile ^ 1; }

// From `source` to boxes of the same shape: boxes[i] is needed on tile firstTile + i of `tiles`, wrapping around; an empty box
// needs nothing. Senders broadcast: a word that several tiles need leaves its tile once. Between IPUs it goes over links.
// `tilesPerIpu` decides which tiles share an IPU; 0: two layouts share an IPU if their tiles overlap.
Traffic trafficTo(const Distribution& source, const std::vector<Box>& boxes, int64_t firstTile, TileRange tiles,
                  int64_t elementBytes, int64_t tilesPerIpu = 0, bool withPairs = true);
class PlannedPairs;
struct Takers {
  std::function<void(PlannedPairs&)> take; // empty: unknown
  std::vector<int64_t> key;                // cache key of `take`, in addition to source and bytes; empty: not cached
  LayoutNote wanted = {};                  // for a report
};
// For layouts of different shapes, where only volumes are known: every tile fetches its `elementsNeeded`, of which it already
// holds 1/cells. Pairs are known if `takers` gives the elements of each tile, if every tile takes all, or if there is one cell.
Traffic trafficBlind(const Distribution& source, const PerTile& elementsNeeded, int64_t elementBytes, int64_t tilesPerIpu = 0,
                     const Takers& takers = {}, bool withPairs = true);
// The traffic between layouts of different shapes that have the same element order, cell by cell.
Traffic trafficInOrder(const Distribution& source, const Distribution& target, int64_t elementBytes, int64_t tilesPerIpu = 0,
                       bool withPairs = true);

} // namespace simcore::graph

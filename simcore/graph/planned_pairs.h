// Sender/receiver pairs for a plan that gives, for each receiving tile, the bytes and the elements. The senders are the tiles
// that hold the elements; each sends its part of the bytes. Plans only estimate how many elements a tile already holds, so the
// bytes may exceed the elements on other tiles.
#pragma once

#include "simcore/graph/cell_order.h"
#include "simcore/graph/touched_cells.h"

#include <limits>

namespace simcore::graph {

class PlannedPairs {
public:
  PlannedPairs(const Distribution& source, const PerTile& bytesIn,
               TileRange receivers = {0, std::numeric_limits<int64_t>::max()});
  bool wants(int64_t tile) const { return m_receivers.contains(tile); } // pairs of other receivers are not needed
  // Begins a new receiver.
  void receiver(int64_t tile);
  // Begins a receiver that takes the same elements as the previous one. If this is impossible, returns false: then call
  // receiver() and take().
  [[nodiscard]] bool same(int64_t tile);
  // The receiver takes these elements, counted row by row, or a box of the source's shape.
  void take(reports::Range<int64_t> elements);
  void take(const Box& box);
  // The receiver takes a box of the source's grid before it was flattened.
  void takeOfGrid(const Box& box);
  // The receiver takes a box of a tensor of the source's shape, or of another shape with the same element order, row by row.
  void take(const Shape& shape, const Box& box);
  // The receiver takes one element of each cell that contains any of these elements.
  void takeEach(reports::Range<int64_t> elements);
  // The receiver takes `elements` elements from each of these tiles.
  void takeFrom(int64_t sender, int64_t elements, int64_t senders, int64_t stride) {
    if (m_bytes > 0) add(sender, elements, senders, stride);
  }
  void takeAll() { m_view ? take(reports::Range<int64_t>{0, m_elements}) : takeOfCells({0, m_elements}); }
  // Every tile of `target` takes the elements of its cell.
  void inOrderOf(const Distribution& target);
  // The same, but calls `take(elements)` with the elements of each tile's cell; `take` takes a part of them.
  void inOrderOf(const Distribution& target, const std::function<void(reports::Range<int64_t>)>& take);
  void allToAll(); // every receiver takes all elements
  int64_t elements() const { return m_elements; }
  bool failed() const { return m_failed; } // further calls have no effect
  // The pairs. Empty if there are too many, if a layout is a guess, or if over 1 % of the bytes go to tiles that already hold all
  // their elements.
  Pairs finish();

private:
  struct Holders { // cells of equal size, on neighbouring tiles
    int64_t begin = 0, elements = 1, tile = 0, count = 0;
    int64_t end() const { return begin + count * elements; }
  };
  struct Share { // `elements` from each of `senders` tiles
    int64_t sender = 0, senders = 1, stride = 1, elements = 0;
    int64_t last() const { return sender + (senders - 1) * stride; }
    bool has(int64_t tile) const { return tile >= sender && tile <= last() && (tile - sender) % stride == 0; }
  };
  std::vector<Holders>::const_iterator holderOf(int64_t element);
  static std::vector<Holders> holdersOf(const Distribution& layout);
  void add(int64_t sender, int64_t elements, int64_t senders, int64_t stride);
  void takeOfSource(reports::Range<int64_t> elements);
  bool takeOfView(const Shape& shape, const Box& box); // false if the shapes do not match
  void takeOfCells(reports::Range<int64_t> elements);
  void sumShares();
  bool dropOwn(); // removes the receiver from its senders; returns whether it was one
  void send(int64_t elements);
  void sendFromNext();
  void end();

  const ViewedLayout* m_view; // null: elements of the source itself
  const Distribution& m_source;
  const CellOrder m_order;
  const PerTile& m_bytesIn;
  std::vector<Holders> m_holders;
  std::vector<Share> m_shares;
  TouchedCells m_cells; // of the source, or of its original grid
  reports::PairWriter m_pairs;
  TileRange m_receivers;
  int64_t m_elements = 0, m_looked = 0, m_tile = -1, m_bytes = 0, m_total = 0, m_without = 0, m_all = 0;
  bool m_isOpen = false, m_repeats = false, m_failed = false;
};

std::vector<Box> cellsOf(const Distribution& layout);
// Takers for tile firstTile + i of `tiles`, wrapping around, which takes boxes[i] of a tensor of this shape. Unknown if the
// source has another grid.
Takers boxTakers(const Distribution& source, const Shape& shape, const std::vector<Box>& boxes, int64_t firstTile,
                 TileRange tiles);

} // namespace simcore::graph

// Which tiles of a planned convolution deal with one another: those that add up partial sums of the same outputs.
#pragma once

#include "simcore/graph/pair_memory.h"
#include "simcore/graph/planned_pairs.h"
#include "simcore/ops/conv/convolution.h"

#include <array>
#include <vector>

namespace simcore::ops {

// The place of a cell in the order of ConvLowering: which outputs it has, and which of their partial sums.
struct ConvCellPlace {
  int64_t outputs = 0, partial = 0;
};
ConvCellPlace placeOf(const ConvPlan& plan, bool product, int64_t cell);

// A tile that takes `bytes` from each of the others of its group, which has so many tiles. Bytes that fill the last word count with the first
// of them.
struct GroupMember {
  int64_t tile = 0, group = 0, groupSize = 1, bytes = 0, filling = 0;
};
// Not known (empty) if a group has more or fewer tiles.
graph::Pairs pairsWithinGroups(std::vector<GroupMember> members);

// Where the elements of one operand of a product are: the box, of [batch, groups x channels, rows, columns], as elements of a tensor in its
// own order. `source` is its layout.
class ConvInputOrder {
public:
  ConvInputOrder(const ConvParams& params, const ConvOptions::InputPlace& place, const graph::Shape& tensor,
                 const graph::Distribution& source);
  bool isKnown() const { return m_isKnown; }
  void take(graph::PlannedPairs& pairs, const graph::Box& box) const;

private:
  void takeProduct(graph::PlannedPairs& pairs, const graph::Box& box) const;
  const ConvParams& m_params;
  const ConvOptions::InputPlace& m_place;
  graph::Shape m_shape;
  bool m_isKnown = false, m_isGrid = false, m_wasGrid = false;
};

// Who holds the weights that tiles of a plan want. Those that the product laid out, or made, lie where tiles want them: every tile that wants
// a slice holds a share of it. Others, and small ones, lie slice after slice over the cells of their layout.
class ConvWeightHolders {
public:
  // `busy` are the parts of batch, rows and columns that have any work.
  ConvWeightHolders(const ConvPlan& plan, bool product, std::array<int64_t, 3> busy, TileRange tiles,
                    const graph::Distribution& source)
      : m_plan(plan), m_product(product), m_busy(busy), m_tiles(tiles), m_source(source) {}
  // Adds the first `holders` tiles that want the same as the tile of a cell, of those that hold anything. Whether there are any.
  bool takeFromSharers(graph::PlannedPairs& pairs, int64_t cell, int64_t holders, bool onlyOfSource) const;

private:
  const ConvPlan& m_plan;
  const bool m_product;
  const std::array<int64_t, 3> m_busy;
  const TileRange m_tiles;
  const graph::Distribution& m_source;
};

} // namespace simcore::ops

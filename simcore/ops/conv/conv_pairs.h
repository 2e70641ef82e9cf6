// Sender/receiver pairs of a planned convolution: tiles that sum partial sums of the same outputs, and senders of operands.
#pragma once

#include "simcore/graph/pair_memory.h"
#include "simcore/graph/planned_pairs.h"
#include "simcore/ops/conv/conv_cells.h"
#include "simcore/ops/conv/conv_problem.h"

#include <array>
#include <vector>

namespace simcore::ops {

// Which outputs a cell computes, and which of their partial sums. Cells are in the order of ConvGrid.
struct ConvCellPlace {
  int64_t outputs = 0, partial = 0;
};
ConvCellPlace placeOf(const ConvPlan& plan, bool product, int64_t cell);

// A tile that takes `bytes` from each other tile of its group of `groupSize` tiles. `filling` bytes pad the last word; they are
// added to the bytes from the first of these tiles.
struct GroupMember {
  int64_t tile = 0, group = 0, groupSize = 1, bytes = 0, filling = 0;
};
// Empty (unknown) if the number of members differs from their `groupSize`.
graph::Pairs pairsWithinGroups(std::vector<GroupMember> members);

// Maps a box [batch, groups x channels, rows, columns] of an operand of a product to elements of the operand's tensor, in the order
// of that tensor. `source` is the tensor's layout.
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

// The cache key of a plan's cells: the whole problem, one serial slice, the plan and its form.
std::vector<int64_t> cellKey(const ConvParams& whole, const ConvParams& slice, const ConvPlan& plan, const ConvForm& form);

// Finds the tiles that hold a plan's weights. Applies only if the product chose the layout of the weights or made them: each
// slice is then spread over the tiles that need it.
class ConvWeightHolders {
public:
  // `busy`: numbers of parts of batch, rows and columns that have work.
  ConvWeightHolders(const ConvPlan& plan, bool product, std::array<int64_t, 3> busy, TileRange tiles,
                    const graph::Distribution& source)
      : m_plan(plan), m_product(product), m_busy(busy), m_tiles(tiles), m_source(source) {}
  // Adds the first `holders` tiles that need the same weights as the tile of `cell` and hold a share. Returns whether any exist.
  bool takeFromSharers(graph::PlannedPairs& pairs, int64_t cell, int64_t holders, bool onlyOfSource) const;

private:
  const ConvPlan& m_plan;
  const bool m_product;
  const std::array<int64_t, 3> m_busy;
  const TileRange m_tiles;
  const graph::Distribution& m_source;
};

// Number of tiles that hold shares of weights needed by `sharing` tiles: a share has at least kLeastConvShare bytes.
inline int64_t convWeightHolders(int64_t bytes, int64_t sharing) {
  return std::clamp<int64_t>(reports::ceilDiv(bytes, kLeastConvShare), 1, sharing);
}

// Senders of the weights for the tiles of a plan. Weights that the product made, or laid out in large slices, are shares on the
// tiles that need them; weights laid out in small slices are stored slice after slice. From other weights each tile takes its box
// of elements.
struct ConvWeightPairs {
  struct Cell {
    const ConvCell* spans = nullptr; // null: the cell has no work
    int64_t tile = 0;
  };
  const OpBuilder& b;
  const ConvParams& params; // of one serial slice
  const ConvForm& form;
  const ConvPlan& plan;
  graph::Distribution laid; // the product's layout of weights
  uint64_t planKey = 0;     // equals Distribution::laidFor() of that layout
  std::vector<int64_t> key = {};
  bool isMade = false, isInOrder = true;          // the product made the weights; given weights have the problem's element order
  const ConvOptions::InputPlace* place = nullptr; // the order of other given weights; null: unknown
  std::vector<Cell> cells = {};

  // `slices`: bytes needed by each tile.
  graph::SharedPairs to(const Tensor& weights, const PerTile& slices, const PerTile& bytesIn) const;
  // The pairs if the weights are in equal shares over the plan's tiles, in the order of the given tensor: each tile takes the
  // elements of its slice.
  graph::SharedPairs fromShares(const Tensor& weights, const PerTile& bytesIn) const;

private:
  // Range of a tile's weights in all weights of an iteration (slices in the order of cells), scaled to `elements`.
  reports::Range<int64_t> rangeOf(const ConvCell& cell, int64_t elements) const;
  void takeBoxes(graph::PlannedPairs& pairs, const ConvCell& cell) const;
  // Whether the elements of each slice form one box of the given weights.
  bool hasBoxes(const Tensor& weights) const {
    return (isInOrder || place) && plan.serial() == 1 && form.combineGroups == 1 && form.expansion == 1 &&
           weights.numElements() == params.groups * params.inChannels * params.outChannels * params.kernel[0] * params.kernel[1];
  }
};

} // namespace simcore::ops

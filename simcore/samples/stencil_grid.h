// A regular grid of cells over IPUs and tiles for stencil samples: the grid is cut into slabs, one an IPU, and each slab into
// blocks, one a tile; every step a block needs the rim of its neighbours. All of it is box arithmetic on a few thousand
// blocks, never a walk over cells.
#pragma once

#include "simcore/samples/compiled_loop.h"
#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

// Two grids to step between, and the cost of one step.
class StencilGrid {
public:
  // `shape` has two or three dimensions; dimension `slabDimension` is cut over the IPUs. `channels`: elements of a cell;
  // `blocks`: number of blocks along each dimension of a slab; `border`: cells at every edge that are never computed, only
  // the cells inside them are cut.
  StencilGrid(MeasuredGraph& graph, const numerics::Shape& shape, std::size_t slabDimension, const std::vector<int64_t>& blocks,
              numerics::ElementType type, int64_t channels, int64_t border = 0);

  // The whole of each grid as one view, in row-major order.
  const graph::Tensor& front() const { return m_front; }
  const graph::Tensor& back() const { return m_back; }

  // A tensor mapped like one of the grids, for data that vertices change in place.
  graph::Tensor another(const std::string& name);

  // Exchange of the rim, then the vertices: from front to back or the other way. `stitch`: the vertices read one contiguous
  // block with its rim, which must be put together on the tile first.
  struct Codelet {
    std::string name;
    CompiledLoop loop;
    int64_t flopsPerCell = 0;
    bool diagonals = false; // corners of the neighbours are needed, too
    bool stitch = false;
    // Cells are words and a stitched row begins with one of its rim: what follows is off the eight-byte grid, so a copy moves a
    // word an instruction. Workers get whole rows, in three dimensions the rows of two by three parts of the block.
    bool wordRows = false;
    int64_t timesCopied = 1; // 2: stitched blocks are gathered before the exchange and scattered behind
    // Vertices make a row that is not quite the one their tile keeps: results are copied to their place and a column of them
    // goes to a neighbour.
    bool shifted = false;
  };
  // Adds a step; it reads and writes `besides` in place.
  void step(graph::Sequence& program, const Codelet& codelet, bool backwards, const graph::HostKernel& kernel,
            const std::vector<graph::Tensor>& besides = {});

private:
  struct Slab {
    graph::Distribution work, layout; // mappings of the computed cells, and of all cells
    std::vector<graph::Tensor> grids; // front, back
  };
  void addSlab(int64_t ipu, numerics::Shape work, numerics::Shape whole, std::vector<int64_t> splits);
  graph::Traffic rim(const Codelet& codelet) const;
  void addLinks(graph::Traffic& traffic, const Codelet& codelet) const;
  numerics::Shape blockOf(const Slab& slab, int64_t cell) const; // without the channels
  template<class Cost> graph::PerTile perBlock(Cost cost) const;
  graph::PerTile blockBytes() const;
  graph::PerTile stitchCycles(const Codelet& codelet) const;
  void addVertices(ops::Superstep& superstep, const Codelet& codelet) const;
  void settle(graph::Sequence& program, const graph::Tensor& results, const graph::Tensor& to) const;

  MeasuredGraph& m_graph;
  numerics::Shape m_shape; // shape of the computed cells
  std::size_t m_slabDimension;
  numerics::ElementType m_type;
  int64_t m_channels;
  std::vector<Slab> m_slabs;
  graph::Tensor m_front, m_back;
};

// Blocks along each dimension of a slab of `shape` on `tiles` tiles: the aspect rule of Louw's structured grids for images
// (columns = ceil(sqrt(tiles x width / height)), rows from the remaining tiles), `minimum` cells per block and dimension.
std::vector<int64_t> blocksByAspect(const numerics::Shape& shape, int64_t tiles, int64_t minimum);
// In two dimensions, by a planner that tries all cuts and takes the one whose slowest tile takes the fewest cycles.
std::vector<int64_t> blocksByWork(const numerics::Shape& shape, int64_t tiles, int64_t workers,
                                  const StencilGrid::Codelet& codelet);
// As many blocks as tiles, cut so that a block has the least surface: factors of the number of tiles, the published rule of
// simehaa/IPU with its order of equal cuts.
std::vector<int64_t> blocksByFactors(const numerics::Shape& shape, int64_t tiles);

// The work of one kind of workers of a tile.
struct WorkerBlock {
  int64_t rows = 0, columns = 0, workers = 0;
};
// How a block is dealt to the workers: `wordRows` as in StencilGrid::Codelet (unless the rows are so few that columns halve the
// work), else along the dimension that splits more evenly.
std::vector<WorkerBlock> workerBlocks(const numerics::Shape& block, int64_t workers, bool wordRows);

} // namespace simcore::samples

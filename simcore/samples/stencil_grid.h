// A regular grid of cells over IPUs and tiles, for stencil samples. The grid is cut into slabs, one per IPU, and each slab into
// blocks, one per tile. In every step a block needs the rim of its neighbours. All of this is box arithmetic on a few thousand
// blocks; no code walks over cells.
#pragma once

#include "simcore/samples/compiled_loop.h"
#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

// Two copies of the grid, between which steps alternate, and the cost of a step.
class StencilGrid {
public:
  // `shape` has two or three dimensions; dimension `slabDimension` is cut over the IPUs. `channels`: elements per cell. `blocks`:
  // number of blocks along each dimension of a slab. `border`: width of the edge whose cells are never computed; only the cells
  // inside it are cut.
  StencilGrid(MeasuredGraph& graph, const numerics::Shape& shape, std::size_t slabDimension, const std::vector<int64_t>& blocks,
              numerics::ElementType type, int64_t channels, int64_t border = 0);

  // Each whole grid as one view, in row-major order.
  const graph::Tensor& front() const { return m_front; }
  const graph::Tensor& back() const { return m_back; }

  // A tensor mapped like one of the grids, for data that vertices change in place.
  graph::Tensor another(const std::string& name);

  // A step exchanges the rim, then runs the vertices, from front to back or in the other direction. `stitch`: the vertices read
  // one contiguous block with its rim, which must be joined on the tile first.
  struct Codelet {
    std::string name;
    CompiledLoop loop;
    int64_t flopsPerCell = 0;
    bool diagonals = false; // needs the neighbours' corners too
    bool stitch = false;
    // Cells are words, and a joined row begins with a word of the rim. The cells after it are not aligned to eight bytes, so a
    // copy moves one word per instruction. Workers get whole rows of the block or, in three dimensions, of one of its 2 x 3
    // parts.
    bool wordRows = false;
    int64_t timesCopied = 1; // 2: joined blocks are gathered before the exchange and scattered after it
    // The vertices compute rows that differ by one column from those of their tile: results are copied to their position, and a
    // column of them goes to a neighbour.
    bool shifted = false;
  };
  // Adds a step, which reads and writes `besides` in place.
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
// (columns = ceil(sqrt(tiles x width / height)), rows from the remaining tiles), with at least `minimum` cells per block and
// dimension.
std::vector<int64_t> blocksByAspect(const numerics::Shape& shape, int64_t tiles, int64_t minimum);
// For two dimensions: tries all cuts and takes the one whose slowest tile needs the fewest cycles.
std::vector<int64_t> blocksByWork(const numerics::Shape& shape, int64_t tiles, int64_t workers,
                                  const StencilGrid::Codelet& codelet);
// As many blocks as tiles, with the least surface per block: factors of the number of tiles. This is the published rule of
// simehaa/IPU, including its order of equal cuts.
std::vector<int64_t> blocksByFactors(const numerics::Shape& shape, int64_t tiles);

// The block of one worker, and the number of workers with such a block.
struct WorkerBlock {
  int64_t rows = 0, columns = 0, workers = 0;
};
// Cuts a block for the workers. With `wordRows` (see StencilGrid::Codelet) by rows, unless there are so few rows that columns
// halve the work; else along the dimension that divides more evenly.
std::vector<WorkerBlock> workerBlocks(const numerics::Shape& block, int64_t workers, bool wordRows);

} // namespace simcore::samples

// A regular grid of cells over IPUs and tiles for stencil samples: the grid is cut into slabs, one an IPU, and each slab into
// blocks, one a tile; every step a block needs the rim of its neighbours. All of it is box arithmetic on a few thousand
// blocks, never a walk over cells.
#pragma once

#include "simcore/samples/compiled_loop.h"
#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

// Two grids to step between, with what one step costs.
class StencilGrid {
public:
  // `shape` has two or three dimensions; dimension `slabDimension` is cut over the IPUs. `cellShape` is what one cell holds
  // ({} or {4} for four channels); `blocks` how many blocks along each dimension of a slab.
  StencilGrid(MeasuredGraph& graph, const numerics::Shape& shape, std::size_t slabDimension, const std::vector<int64_t>& blocks,
              numerics::ElementType type, int64_t channels);

  // Both grids as one view each, in row-major order of the whole.
  const graph::Tensor& front() const { return m_front; }
  const graph::Tensor& back() const { return m_back; }
  int64_t largestBlock() const { return m_largest; }

  // Exchange of the rim, then the vertices: from front to back or the other way. `stitch`: the vertices read one contiguous
  // block with its rim, which must be put together on the tile first.
  struct Codelet {
    std::string name;
    CompiledLoop loop;
    int64_t flopsPerCell = 0;
    bool diagonals = false; // corners of the neighbours are needed, too
    bool stitch = false;
    // Words of a cell whose rows begin with a single word of rim: what follows is copied word by word, a load and a store each,
    // and workers get whole rows. Words that need no neighbours are read where they are.
    int64_t offGridWords = 0;
  };
  void step(graph::Sequence& program, const Codelet& codelet, bool backwards, const graph::HostKernel& kernel);

private:
  struct Slab {
    graph::Distribution layout;
    std::vector<graph::Tensor> grids; // front, back
  };
  graph::Traffic rim(const Codelet& codelet) const;
  void addLinks(graph::Traffic& traffic) const;
  graph::PerTile stitchCycles(const Codelet& codelet) const;
  void addVertices(ops::Superstep& superstep, const Codelet& codelet) const;

  MeasuredGraph& m_graph;
  numerics::Shape m_shape;
  std::size_t m_slabDimension;
  numerics::ElementType m_type;
  int64_t m_channels, m_largest = 0;
  std::vector<Slab> m_slabs;
  graph::Tensor m_front, m_back;
};

// Blocks along each dimension of a slab of `shape` on `tiles` tiles: the aspect rule of Louw's structured grids for images
// (columns = ceil(sqrt(tiles x width / height)), rows from what is left), `minimum` cells a block and dimension.
std::vector<int64_t> blocksByAspect(const numerics::Shape& shape, int64_t tiles, int64_t minimum);
// The same for a planner that tries all factorisations and takes the one whose slowest tile has the least to do.
std::vector<int64_t> blocksByWork(const numerics::Shape& shape, int64_t tiles, int64_t workers,
                                  const StencilGrid::Codelet& codelet);

// How the rows of a block are dealt to the workers: along the dimension that splits more evenly, or whole while there are enough.
struct WorkerShares {
  int64_t most = 0, least = 0, withMost = 0, withLeast = 0; // lines of a worker, and how many workers have that many
  bool byColumns = false;
};
WorkerShares sharesOf(int64_t rows, int64_t columns, int64_t workers, bool wholeRows = false);

} // namespace simcore::samples

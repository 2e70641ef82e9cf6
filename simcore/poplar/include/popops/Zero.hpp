// Writes zeros to a tensor.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Interval.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <vector>

namespace popops {

void zero(poplar::Graph& graph, const poplar::Tensor& tensor, poplar::program::Sequence& prog,
          const poplar::DebugContext& debugContext = {});
// Adds vertices to a compute set: for regions of the flattened tensor on one tile, for the whole tensor on one tile, or for
// regions by tile.
void zero(poplar::Graph& graph, poplar::Tensor tensor, const std::vector<poplar::Interval>& tileRegions, unsigned tile,
          poplar::ComputeSet zeroCS);
void zero(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned tile, poplar::ComputeSet zeroCS);
void zero(poplar::Graph& graph, const poplar::Tensor& tensor, const std::vector<std::vector<poplar::Interval>>& mapping,
          poplar::ComputeSet zeroCS);

} // namespace popops

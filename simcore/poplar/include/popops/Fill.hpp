// Writes one value to all elements of a tensor.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Interval.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <vector>

namespace popops {

namespace inside {
void fill(poplar::Graph& graph, const poplar::Tensor& tensor, poplar::program::Sequence& prog, double value,
          const poplar::DebugContext& debugContext);
void fill(poplar::Graph& graph, const poplar::Tensor& tensor, const std::vector<poplar::Interval>& tileRegions, unsigned tile,
          poplar::ComputeSet fillCS, double value);
} // namespace inside

template<class FillValueType>
void fill(poplar::Graph& graph, const poplar::Tensor& tensor, poplar::program::Sequence& prog, FillValueType fillValue,
          const poplar::DebugContext& debugContext = {}) {
  inside::fill(graph, tensor, prog, static_cast<double>(fillValue), debugContext);
}
// Adds vertices to a compute set: for regions of the flattened tensor on one tile, for the whole tensor on one tile, or for
// regions by tile.
template<class FillValueType>
void fill(poplar::Graph& graph, poplar::Tensor tensor, const std::vector<poplar::Interval>& tileRegions, unsigned tile,
          poplar::ComputeSet fillCS, FillValueType fillValue) {
  inside::fill(graph, tensor, tileRegions, tile, fillCS, static_cast<double>(fillValue));
}
template<class FillValueType>
void fill(poplar::Graph& graph, const poplar::Tensor& tensor, unsigned tile, poplar::ComputeSet fillCS, FillValueType fillValue) {
  inside::fill(graph, tensor, {poplar::Interval(0, tensor.numElements())}, tile, fillCS, static_cast<double>(fillValue));
}
template<class FillValueType>
void fill(poplar::Graph& graph, const poplar::Tensor& tensor, const std::vector<std::vector<poplar::Interval>>& mapping,
          poplar::ComputeSet fillCS, FillValueType fillValue) {
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty()) inside::fill(graph, tensor, mapping[tile], tile, fillCS, static_cast<double>(fillValue));
}

} // namespace popops

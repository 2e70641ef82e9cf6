// Selects rows along an axis.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <vector>

namespace popops {

struct GatherParams {
  GatherParams() = default;
  GatherParams(std::size_t elements) : maxElementsPerTile(elements) {}
  std::size_t maxElementsPerTile = 65535;
};
poplar::Tensor createGatherInput(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& operandShape,
                                 unsigned axis, GatherParams params = {}, const poplar::DebugContext& debugContext = {});
// input [.., n, ..] at indices [..] of dimension `axis` -> [.., indices .., ..].
poplar::Tensor gather(poplar::Graph& graph, const poplar::Tensor& input, const poplar::Tensor& indices, unsigned axis,
                      poplar::program::Sequence& prog, GatherParams params, const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});

// XLA's gather. The index vectors are along dimension indexVectorDim of `indices`; if indexVectorDim is their rank, each element
// is a vector of length 1. Component i of a vector is the start of a slice in dimension startIndexMap[i]; the slice has the
// extents sliceSizes. In the result the slices are along offsetDims, without the dimensions in collapsedSliceDims, whose extent
// is 1; the other dimensions are the dimensions of the indices.
poplar::Tensor createGatherInput(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& inputShape,
                                 const std::vector<std::size_t>& sliceSizes, std::vector<unsigned> startIndexMap,
                                 const poplar::DebugContext& debugContext = {});
poplar::Tensor gather(poplar::Graph& graph, const poplar::Tensor& input, const poplar::Tensor& indices,
                      std::size_t indexVectorDim, const std::vector<std::size_t>& offsetDims,
                      const std::vector<std::size_t>& sliceSizes, const std::vector<std::size_t>& collapsedSliceDims,
                      const std::vector<unsigned>& startIndexMap, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

} // namespace popops

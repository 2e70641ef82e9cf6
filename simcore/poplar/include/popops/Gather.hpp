// Rows picked along an axis.
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

} // namespace popops

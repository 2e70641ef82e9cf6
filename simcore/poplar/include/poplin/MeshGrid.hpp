// Coordinates of grids.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <vector>

namespace poplin {

// `count` constants from `left` to `right` at equal distances.
poplar::Tensor linspace(poplar::Graph& graph, const poplar::Type& type, float left, float right, std::size_t count,
                        const poplar::DebugContext& debugContext = {});
// For x [n] and y [m] the two views [m, n] with the x and the y of each point.
std::vector<poplar::Tensor> meshgrid2d(poplar::Graph& graph, poplar::Tensor x, poplar::Tensor y);

} // namespace poplin

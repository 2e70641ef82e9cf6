// Spatial softmax: the expected row and column of each field, weighted by its softmax.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "popnn/NonLinearity.hpp"

#include <utility>

namespace popnn {

// `fields` [F, H, W] -> the expected row and column of each field [F, 2], from -1 to 1, by the softmax of fields / temperature
// over all of them (the fields themselves if `disableSoftmax`); and the variable of the temperature. Throws
// poputil::poplibs_error for another rank.
std::pair<poplar::Tensor, poplar::Tensor> spatialSoftMax2D(poplar::Graph& graph, poplar::program::Sequence& prog,
                                                           const poplar::Tensor& fields, float temperature,
                                                           bool disableSoftmax = false,
                                                           const poplar::DebugContext& debugContext = {});

} // namespace popnn

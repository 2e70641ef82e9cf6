// Histograms.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

namespace popops {

// FLOAT [L + 1]: the number of elements below the first of the ascending `levels` [L], from it to the second, … With
// `absoluteOfInput` it counts the elements' magnitudes. The second form writes to `output`, or adds to it.
poplar::Tensor histogram(poplar::Graph& graph, const poplar::Tensor& input, const poplar::Tensor& levels, bool absoluteOfInput,
                         poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                         const poplar::OptionFlags& options = {});
void histogram(poplar::Graph& graph, const poplar::Tensor& input, poplar::Tensor& output, bool updateOutput,
               const poplar::Tensor& levels, bool absoluteOfInput, poplar::program::Sequence& prog,
               const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

} // namespace popops

// Histograms.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

namespace popops {

// FLOAT [L + 1] of the elements by `levels` [L], ascending: below the first level, from it to the second, … With `absoluteOfInput` of the
// elements' amounts. The second form writes to `output`, or adds to it.
poplar::Tensor histogram(poplar::Graph& graph, const poplar::Tensor& input, const poplar::Tensor& levels, bool absoluteOfInput,
                         poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                         const poplar::OptionFlags& options = {});
void histogram(poplar::Graph& graph, const poplar::Tensor& input, poplar::Tensor& output, bool updateOutput,
               const poplar::Tensor& levels, bool absoluteOfInput, poplar::program::Sequence& prog,
               const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

} // namespace popops

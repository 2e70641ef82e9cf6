// Converts images of three channels to the form that a network needs.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>

namespace popops {

// Creates pixels [.., 3] of type UNSIGNED_CHAR, HALF or FLOAT.
poplar::Tensor createNormaliseImageInput(poplar::Graph& graph, const poplar::Type& type,
                                         const poplar::ArrayRef<std::size_t> shape,
                                         const poplar::DebugContext& debugContext = {});
// Returns (pixel x inScale - offsets) x scales for each channel, and a fourth channel of zeros: [.., 4]. `offsets` and `scales`
// have three elements and the type of the result. The input has this type too, or UNSIGNED_CHAR.
poplar::Tensor normaliseImage(poplar::Graph& graph, poplar::program::Sequence& seq, poplar::Tensor tIn, float inScale,
                              poplar::Tensor offsets, poplar::Tensor scales, const poplar::DebugContext& debugContext = {});

} // namespace popops

// Tests whether all elements are true.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

namespace popops {

// Returns one BOOL. The tensor is BOOL, or INT or UNSIGNED_INT, for which every number except 0 is true.
poplar::Tensor allTrue(poplar::Graph& graph, poplar::Tensor tensor, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});

} // namespace popops

// Selects one element of each row.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

namespace popops {

// Selects from params [N, C] at indices [N] -> [N]; an index out of range gives 0.
poplar::Tensor selectScalarFromRows(poplar::Graph& graph, const poplar::Tensor& params, const poplar::Tensor& indices,
                                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

} // namespace popops

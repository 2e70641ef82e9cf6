// Copies of runs of rows whose places are known only at run time.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace popops {

// For each i: rows tInOffset[i] .. + tN[i] of tIn go to the rows of tOut from tOutOffset[i] on, until the first tN[i] that is 0. Other rows of tOut
// are zeroed if `zeroUnused`, else left. The three are of one length, tIn and tOut of rank 2 or more with rows of one size; throws
// poputil::poplibs_error else.
void sequenceSlice(poplar::Graph& graph, const poplar::Tensor& tIn, const poplar::Tensor& tOut, const poplar::Tensor& tN,
                   const poplar::Tensor& tInOffset, const poplar::Tensor& tOutOffset, bool zeroUnused,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

} // namespace popops

// Copies ranges of rows whose positions are known only at run time.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace popops {

// For each i: copies tN[i] rows of tIn from row tInOffset[i] on to tOut from row tOutOffset[i] on, and stops at the first tN[i]
// that is 0. Other rows of tOut become 0 if `zeroUnused`, else they stay. Throws poputil::poplibs_error if the three lists differ
// in length, a tensor has rank below 2, or the rows of tIn and tOut differ in size.
void sequenceSlice(poplar::Graph& graph, const poplar::Tensor& tIn, const poplar::Tensor& tOut, const poplar::Tensor& tN,
                   const poplar::Tensor& tInOffset, const poplar::Tensor& tOutOffset, bool zeroUnused,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

} // namespace popops

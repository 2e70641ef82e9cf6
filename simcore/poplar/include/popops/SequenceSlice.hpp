// Copies ranges of rows whose positions are known only at run time.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace popops {

// For each i: copies rows [tInOffset[i], tInOffset[i] + tN[i]) of tIn to the rows of tOut that start at tOutOffset[i]. Stops at
// the first tN[i] of 0. Other rows of tOut become 0 if `zeroUnused`, else they keep their values. Throws poputil::poplibs_error
// if the three lists differ in length or are not UNSIGNED_INT, if tIn or tOut has rank below 2, or if the element types or the
// row sizes of tIn and tOut differ.
void sequenceSlice(poplar::Graph& graph, const poplar::Tensor& tIn, const poplar::Tensor& tOut, const poplar::Tensor& tN,
                   const poplar::Tensor& tInOffset, const poplar::Tensor& tOutOffset, bool zeroUnused,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

} // namespace popops

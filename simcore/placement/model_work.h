// Work of a whole model on the host, with all rounds of its loops, estimated before the run.
#pragma once

#include "simcore/model/graph/graph.h"

namespace simcore::model {

// Throws Error(InvalidInput) at the node of a typed model with which the work of its numbers exceeds kMostWork. Every iteration of a
// loop counts, if their number is known before the run.
void requireAffordableNumbers(const Model& model);

// Throws Error(InvalidInput) if a typed model is too large to compute tile by tile, which takes tens of nanoseconds per element.
// The error names the node at which the sum of elements exceeds the limit.
void requireSmallForVertices(const Model& model);

} // namespace simcore::model

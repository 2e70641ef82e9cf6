// The work of computing a whole model's numbers on the host, with all iterations of its loops, estimated before the run.
#pragma once

#include "simcore/model/graph/graph.h"

namespace simcore::model {

// Throws Error(InvalidInput) if computing the numbers of a typed model takes more than kMostWork; the error names the node at
// which the sum exceeds it. Every iteration of a loop counts, if their number is known before the run.
void requireAffordableNumbers(const Model& model);

// Throws Error(InvalidInput) if a typed model is too large to compute tile by tile, which takes tens of nanoseconds per element.
// The error names the node at which the sum exceeds the limit.
void requireSmallForVertices(const Model& model);

} // namespace simcore::model

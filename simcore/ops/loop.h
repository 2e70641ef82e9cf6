// Loops that count on the machine, for bodies that need the index (popops countedLoop).
#pragma once

#include "simcore/ops/op_builder.h"

#include <functional>

namespace simcore::ops {

// Appends a loop over begin, begin + step, … below `end`; `body` gets the index, one int32, and appends to the builder that it
// gets. Without iterations, appends nothing. Throws Error(InvalidInput) for a step below 1.
void countedLoop(const OpBuilder& builder, int64_t begin, int64_t end, int64_t step,
                 const std::function<void(const OpBuilder& body, const Tensor& index)>& body);

} // namespace simcore::ops

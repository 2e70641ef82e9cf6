// The one error of views that do not fit their tensor: it names the shape, which is what the reader has to look at.
#pragma once

#include "reports/core/error.h"
#include "simcore/numerics/shape.h"

namespace simcore::graph {

[[noreturn]] inline void badView(const std::string& what, const numerics::Shape& shape) {
  throw reports::Error(reports::ErrorCode::InvalidInput, what, "tensor of shape " + numerics::toString(shape));
}

} // namespace simcore::graph

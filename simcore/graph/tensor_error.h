// The error for views that do not fit their tensor. It names the tensor and its shape, which help to find the cause.
#pragma once

#include "reports/core/error.h"
#include "simcore/graph/tensor.h"

namespace simcore::graph {

[[noreturn]] inline void badView(const std::string& what, const Tensor& tensor) {
  throw reports::Error(reports::ErrorCode::InvalidInput, what, "tensor " + tensor.getDebugStr());
}

} // namespace simcore::graph

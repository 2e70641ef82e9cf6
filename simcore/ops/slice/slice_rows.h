// Interpretation of row indices, shared by look-ups, updates and dynamic slices.
#pragma once

#include "reports/core/error.h"
#include "simcore/numerics/host_tensor.h"

#include <string>

namespace simcore::ops {

constexpr int64_t kIndexBytes = 4; // of one index on the machine

// The row of index i; negative indices count from the back. Throws Error(InvalidInput) for an index out of range.
inline int64_t rowOf(const numerics::HostTensor& indices, int64_t i, int64_t rows) {
  const int64_t at = indices.integerAt(i), row = at < 0 ? at + rows : at;
  if (row < 0 || row >= rows)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "index " + std::to_string(at) + " is outside a table of " + std::to_string(rows) + " rows");
  return row;
}

} // namespace simcore::ops

// The text of PrintTensor: one row of brackets for a vector, one line a row for more dimensions, floats with seven decimals
// (poplar-api-usage 1.10), so that existing scripts can read it.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <string>

namespace simcore::run {

// `title: [1.0000000 2.0000000]`; the rows of a matrix begin on new lines.
std::string printedTensor(const std::string& title, const numerics::HostTensor& tensor);

} // namespace simcore::run

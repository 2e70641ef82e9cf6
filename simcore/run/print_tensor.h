// The text of PrintTensor: one row of brackets for a vector, one line a row for more dimensions, so that existing scripts can read it.
// Without a format floats have seven decimals (poplar-api-usage 1.10).
#pragma once

#include "simcore/graph/print_format.h"
#include "simcore/numerics/host_tensor.h"

#include <string>

namespace simcore::run {

// `title: [1.0000000 2.0000000]`; a matrix begins its rows on lines of their own. In aligned formats elements end in the same column, and
// floats have `digits` digits in the largest element. Auto is scientific if that has more digits before the point or is below
// 10^-(digits / 2), else fixed.
std::string printedTensor(const std::string& title, const numerics::HostTensor& tensor, const graph::PrintFormat& format = {});

} // namespace simcore::run

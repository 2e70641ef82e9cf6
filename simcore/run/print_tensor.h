// The text of PrintTensor: a vector is one row in brackets; with more dimensions each row has its own line, so that existing
// scripts can read it. Without a format floats have seven decimals (poplar-api-usage 1.10).
#pragma once

#include "simcore/graph/print_format.h"
#include "simcore/numerics/host_tensor.h"

#include <string>

namespace simcore::run {

// `title: [1.0000000 2.0000000]`; the rows of a matrix are on lines of their own. In aligned formats elements end in the same
// column, and the largest float has `digits` digits if floats are fixed. Auto is scientific if the largest float has more than
// `digits` digits before the point or is below 10^-(digits / 2), else fixed.
std::string printedTensor(const std::string& title, const numerics::HostTensor& tensor, const graph::PrintFormat& format = {});

} // namespace simcore::run

// The options that say in which types a run computes: --precision and those of fp8. Straight into the request.
#pragma once

#include "app/cli/options.h"
#include "app/cli/workload_source.h"

namespace app::cli {

// Options go to `request`, the word of --precision to `precision`; both must outlive the parsing.
void declarePrecisionOptions(Options& command, std::string& precision, WorkloadRequest& request);
// After parsing: what the words mean. Throws Error(InvalidInput) for an option of fp8 with another precision.
void readPrecision(const std::string& precision, WorkloadRequest& request);

} // namespace app::cli

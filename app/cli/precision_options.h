// The options for the types of a run: --precision and the options of fp8. They are stored directly in the request.
#pragma once

#include "app/cli/options.h"
#include "app/cli/workload_source.h"

namespace app::cli {

// Options go to `request`, the word of --precision to `precision`; both must outlive the parsing.
void declarePrecisionOptions(Options& command, std::string& precision, WorkloadRequest& request);
// After parsing: interprets the words. Throws Error(InvalidInput) for an option of fp8 with another precision.
void readPrecision(const std::string& precision, WorkloadRequest& request);

} // namespace app::cli

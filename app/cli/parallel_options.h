// Options of `run` that distribute a model over several IPUs or make it fit. They are stored directly in the request, without a
// second set of names for model::Parallelism.
#pragma once

#include "app/cli/workload_source.h"

namespace app::cli {

// Declares the options for parallelism. `request` must outlive the parsing.
void declareParallelOptions(Options& command, WorkloadRequest& request);

} // namespace app::cli

// Options of `run` for several IPUs and for fitting a model on them. They go directly into the request, without a second set of
// names for model::Parallelism.
#pragma once

#include "app/cli/workload_source.h"

namespace app::cli {

void declareParallelOptions(Options& command, WorkloadRequest& request); // which must outlive the parsing

} // namespace app::cli

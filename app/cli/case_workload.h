// Workloads of validation cases that are defined by options of `run`: whole models with a pipeline, replicas, recomputation …
#pragma once

#include "simcore/validation/validation.h"

#include <cstdint>
#include <stop_token>

namespace app::cli {

// Throws Error(InvalidInput) for an option that `run` lacks, or that changes neither time nor memory.
simcore::validation::CaseWorkload workloadOfCase(const simcore::validation::ValidationCase& validationCase, int64_t seed,
                                                 std::stop_token stop);

} // namespace app::cli

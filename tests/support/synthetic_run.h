// Runs, step profiles, slices, operations and the host timeline of a synthetic report, made by executing the program step by
// step.
#pragma once

#include "tests/support/synthetic_program.h"

namespace tests {

void writeSyntheticRun(reports::ReportSink& sink, reports::StringPool& strings, const SyntheticProgram& program,
                       const std::vector<int64_t>& variableBytesByOperation);

} // namespace tests

// Variables, tile memory and liveness of a synthetic report. Outputs of operations alternate between two shared addresses and
// all messages share one, so lowered variables overlap without ever being live together.
#pragma once

#include "tests/support/synthetic_program.h"

namespace tests {

// Returns the bytes of the variables that each operation makes.
std::vector<int64_t> writeSyntheticMemory(reports::ReportSink& sink, reports::StringPool& strings,
                                          const SyntheticProgram& program);

// One tile_series row with its sum and maximum.
void writeSyntheticSeries(reports::ReportSink& sink, const std::string& name, const std::string& unit,
                          const std::vector<int64_t>& values);

} // namespace tests

// The static half of a report: machine, names, program tree, compute sets, exchanges, variables, where they lie, liveness.
#pragma once

#include "reports/rows/report_sink.h"
#include "reports/rows/string_pool.h"
#include "simcore/compile/compiler.h"

namespace simcore::compile {

// One number per tile with its sum and its maximum.
reports::TileSeriesRow tileSeries(const std::string& name, const std::string& unit, const std::vector<int64_t>& values);

void writeMachine(const arch::Machine& machine, reports::ReportSink& sink);
void writeExecutable(const Executable& executable, reports::StringPool& strings, reports::ReportSink& sink);

} // namespace simcore::compile

// The data sheet of a report's machine, and how much of each peak the runs used.
#pragma once

#include "analyser/summary/summary.h"

namespace analyser::summary {

// The peaks that the report knows; the links only if the program has several IPUs or replicas. Empty for a report without a
// machine.
std::vector<PeakUse> peakUses(Session& session, const Summary& summary, const std::stop_token& stop = {});

} // namespace analyser::summary

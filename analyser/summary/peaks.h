// The data sheet of a report's machine, and how much of each peak the runs used.
#pragma once

#include "analyser/summary/summary.h"

#include <optional>

namespace analyser::summary {

struct PeakUse {
  std::string name;            // of JSON: "flops", "exchange", "host", …
  std::string title;           // "Exchange"
  std::string unit;            // "FLOP/s" or "B/s"
  double peak = 0;             // of all IPUs of the report, per second
  std::optional<double> share; // of it that all runs used, over their whole time; none if the report does not hold the bytes
};

// Those that the report knows, for a program of several IPUs the links too. Empty for a report without a machine.
std::vector<PeakUse> peakUses(Session& session, const Summary& summary, const std::stop_token& stop = {});

} // namespace analyser::summary

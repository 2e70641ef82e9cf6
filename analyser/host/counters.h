// Counters of the host at a resolution: at most one point per pixel, with the extremes between, so that no peak is lost.
#pragma once

#include "analyser/session/session.h"
#include "reports/core/range.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::host {

struct Series {
  int64_t id = 0;
  std::string name; // within its chart; may be empty
  int64_t samples = 0;
  double min = 0, max = 0;
};
// Series that share an axis.
struct Chart {
  std::optional<int64_t> process; // host_process.id
  std::string name, unit;
  std::vector<Series> series;
};
std::vector<Chart> counterCharts(Session& session);

// Between `ticks.begin` and `ticks.end` the value was from `min` to `max`, and `last` at the end. It holds until the next point.
struct CounterPoint {
  reports::TickRange ticks;
  double min = 0, max = 0, last = 0;
};
// Points of the range in order of time, and the last one before it; at most about 2 x pixels.
std::vector<CounterPoint> counterPoints(Session& session, int64_t series, reports::TickRange range, int pixels,
                                        std::stop_token stop = {});

} // namespace analyser::host

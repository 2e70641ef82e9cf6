// Counters of the host at a resolution: at most one point per pixel, with minimum and maximum, so that no peak is lost.
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

// Within `ticks` the value is between `min` and `max`; at the end it is `last`, until the next point.
struct CounterPoint {
  reports::TickRange ticks;
  double min = 0, max = 0, last = 0;
};
// The points of the range in order of time, preceded by the last point before the range; at most about 2 x pixels.
std::vector<CounterPoint> counterPoints(Session& session, int64_t series, reports::TickRange range, int pixels,
                                        std::stop_token stop = {});

} // namespace analyser::host

// Heatmaps of the host at a resolution: the histograms within one pixel of time are summed.
#pragma once

#include "analyser/session/session.h"
#include "reports/core/range.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace analyser::host {

struct Heatmap {
  int64_t id = 0;
  std::optional<int64_t> process; // host_process.id
  std::string name, unit;
  std::vector<double> edges; // bins + 1, ascending
  int64_t samples = 0;
  reports::TickRange ticks; // from the first to the last histogram

  int bins() const { return edges.empty() ? 0 : static_cast<int>(edges.size()) - 1; }
};
std::vector<Heatmap> heatmaps(Session& session);

struct HeatmapColumn {
  reports::TickRange ticks;
  std::vector<int64_t> counts; // by bin
  int64_t total() const;
};
// Histograms of the range in order of time, at most one per pixel; a histogram is valid only at its own tick.
std::vector<HeatmapColumn> heatmapColumns(Session& session, const Heatmap& heatmap, reports::TickRange range, int pixels,
                                          std::stop_token stop = {});

} // namespace analyser::host

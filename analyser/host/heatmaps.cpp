#include "analyser/host/heatmaps.h"

#include "reports/rows/host_decode.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <numeric>

namespace analyser::host {

int64_t HeatmapColumn::total() const { return std::accumulate(counts.begin(), counts.end(), int64_t(0)); }

std::vector<Heatmap> heatmaps(Session& session) {
  std::vector<Heatmap> list;
  session.reader().forEach<reports::HeatmapRow>({}, {}, [&](reports::HeatmapRow& row) {
    if (row.samples <= 0) return;
    list.push_back(
        {row.id, row.processId, row.name, row.unit, reports::heatmapEdges(row), row.samples, {row.firstTick, row.lastTick + 1}});
  });
  return list;
}

std::vector<HeatmapColumn> heatmapColumns(Session& session, const Heatmap& heatmap, reports::TickRange range, int pixels,
                                          std::stop_token stop) {
  std::vector<HeatmapColumn> columns;
  if (range.empty() || pixels <= 0) return columns;
  const double pixel = double(range.size()) / pixels;
  session.reader().forEach<reports::HeatmapChunkRow>(
      "heatmap_id = ? AND first_tick < ? AND last_tick >= ? ORDER BY chunk", {heatmap.id, range.end, range.begin},
      [&](const reports::HeatmapChunkRow& chunk) {
        for (const reports::Histogram& h : reports::decodeHeatmap(chunk, heatmap.bins())) {
          if (!range.contains(h.tick)) continue;
          if (columns.empty() || double(h.tick - columns.back().ticks.begin) >= pixel) {
            columns.push_back({{h.tick, h.tick + 1}, h.counts});
            continue;
          }
          HeatmapColumn& last = columns.back();
          last.ticks.end = h.tick + 1;
          for (std::size_t i = 0; i < last.counts.size(); ++i) last.counts[i] += h.counts[i];
        }
      },
      stop);
  return columns;
}

} // namespace analyser::host

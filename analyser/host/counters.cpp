#include "analyser/host/counters.h"

#include "reports/rows/host_decode.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <map>

namespace analyser::host {

namespace {

constexpr int64_t kMostSamples = 64 * 1024; // most samples that are read one by one; for more, a level of detail is read

// Merges samples of one pixel into one point.
void addSample(std::vector<CounterPoint>& points, const reports::CounterSample& s, double pixel) {
  if (!points.empty() && double(s.tick - points.back().ticks.begin) < pixel) {
    CounterPoint& last = points.back();
    last.ticks.end = s.tick + 1;
    last.min = std::min(last.min, s.value);
    last.max = std::max(last.max, s.value);
    last.last = s.value;
  } else {
    points.push_back({{s.tick, s.tick + 1}, s.value, s.value, s.value});
  }
}

// The value at the beginning of the range.
std::optional<CounterPoint> pointBefore(Session& session, int64_t series, int64_t tick) {
  const auto chunk = session.reader().first<reports::CounterChunkRow>(
      "series_id = ? AND first_tick < ? ORDER BY chunk DESC LIMIT 1", {series, tick});
  if (!chunk) return std::nullopt;
  std::optional<CounterPoint> found;
  for (const auto& s : reports::decodeCounter(*chunk))
    if (s.tick < tick) found = CounterPoint{{s.tick, s.tick + 1}, s.value, s.value, s.value};
  return found;
}

} // namespace

std::vector<Chart> counterCharts(Session& session) {
  std::vector<Chart> charts;
  std::map<std::pair<int64_t, std::string>, std::size_t> places;
  session.reader().forEach<reports::CounterSeriesRow>({}, {}, [&](reports::CounterSeriesRow& row) {
    if (row.samples <= 0) return;
    const auto [place, isNew] = places.emplace(std::pair(row.processId.value_or(-1), row.graph), charts.size());
    if (isNew) charts.push_back({row.processId, row.graph, row.unit, {}});
    charts[place->second].series.push_back({row.id, std::move(row.name), row.samples, row.minValue, row.maxValue});
  });
  return charts;
}

std::vector<CounterPoint> counterPoints(Session& session, int64_t series, reports::TickRange range, int pixels,
                                        std::stop_token stop) {
  std::vector<CounterPoint> points;
  if (range.empty() || pixels <= 0) return points;
  const double pixel = double(range.size()) / pixels;
  if (const auto before = pointBefore(session, series, range.begin)) points.push_back(*before);
  reports::Statement count(
      session.reader().connection(),
      "SELECT coalesce(sum(samples), 0) FROM counter_chunk WHERE series_id = ? AND first_tick < ? AND last_tick >= ?");
  count.bind(1, series);
  count.bind(2, range.end);
  count.bind(3, range.begin);
  int64_t samples = 0;
  if (count.step()) count.read(0, samples, "counter_chunk.samples");
  // The coarsest level whose buckets are at most a pixel wide.
  if (samples > kMostSamples) {
    const auto level = session.reader().first<reports::CounterLevelRow>(
        "series_id = ? AND (1 << bucket_shift) <= ? ORDER BY level DESC LIMIT 1", {series, int64_t(std::max(1.0, pixel))});
    if (level) {
      const reports::CounterLevel decoded = reports::decodeLevel(*level);
      for (const auto& b : decoded.buckets) {
        const reports::TickRange ticks{b.index << decoded.shift, (b.index + 1) << decoded.shift};
        if (ticks.overlaps(range)) points.push_back({ticks, b.min, b.max, b.last});
      }
      return points;
    }
  }
  session.reader().forEach<reports::CounterChunkRow>(
      "series_id = ? AND first_tick < ? AND last_tick >= ? ORDER BY chunk", {series, range.end, range.begin},
      [&](const reports::CounterChunkRow& chunk) {
        for (const auto& s : reports::decodeCounter(chunk))
          if (range.contains(s.tick)) addSample(points, s, pixel);
      },
      stop);
  return points;
}

} // namespace analyser::host

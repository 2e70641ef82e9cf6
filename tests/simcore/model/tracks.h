// A workload simulated into memory, and figures of each IPU from its trace.
#pragma once

#include "reports/rows/slice_decode.h"
#include "simcore/run/simulate.h"
#include "tests/support/row_collector.h"

namespace tests {

using namespace simcore;

struct Outcome {
  run::SimulateResult result;
  tests::RowCollector rows;
};

inline void simulate(const graph::Workload& load, Outcome& outcome, bool numbers = true, int64_t iterations = 1) {
  run::SimulateOptions options;
  options.iterations = iterations;
  options.engine.numbers = numbers;
  run::HostTimeline timeline("test");
  reports::NoProgress quiet;
  outcome.result = run::simulate(load, options, outcome.rows, timeline, {}, quiet);
}

// The losses of all micro-batches of `updates` updates; those after the first depend on the new weights. Empty if it does not fit.
inline std::vector<double> lossesOf(const graph::Workload& load, int64_t updates) {
  Outcome outcome;
  simulate(load, outcome, true, updates);
  return outcome.result.fits ? outcome.result.history.at("loss") : std::vector<double>();
}

inline std::string textOf(const tests::RowCollector& rows, int64_t id) { return rows.text(id); }

// Computing slices of one IPU's track, and named scopes of the first level.
struct Track {
  std::vector<reports::Range<int64_t>> compute;
  std::vector<std::string> phases;
  int64_t busy = 0; // compute and on-chip exchange with its syncs
};
inline Track trackOf(const tests::RowCollector& rows, int64_t ipu) {
  Track track;
  std::map<int64_t, std::string> phases;
  for (const auto& chunk : rows.rows<reports::SliceChunkRow>()) {
    if (chunk.trackId != ipu) continue;
    const auto slices = reports::decodeChunk(chunk);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto activity = reports::Activity(slices.categories[i]);
      if (activity == reports::Activity::Scope && chunk.depth == 1) phases[slices.starts[i]] = textOf(rows, slices.names[i]);
      if (activity == reports::Activity::Compute) track.compute.push_back({slices.starts[i], slices.end(i)});
      const bool sync = activity == reports::Activity::Sync && textOf(rows, slices.names[i]) == "Internal";
      if (sync || activity == reports::Activity::Compute || activity == reports::Activity::OnTileCopy ||
          activity == reports::Activity::InternalExchange)
        track.busy += slices.durations[i];
    }
  }
  for (const auto& [start, name] : phases) track.phases.push_back(name);
  return track;
}

inline int64_t overlap(const Track& a, const Track& b) {
  int64_t together = 0;
  for (const auto& x : a.compute)
    for (const auto& y : b.compute) together += std::max<int64_t>(0, std::min(x.end, y.end) - std::max(x.begin, y.begin));
  return together;
}

} // namespace tests

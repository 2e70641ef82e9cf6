// Runs every analysis of a report, for tests with damaged reports.
#pragma once

#include "analyser/compare/compare.h"
#include "analyser/host/counters.h"
#include "analyser/host/heatmaps.h"
#include "analyser/host/host_timeline.h"
#include "analyser/html/report_page.h"
#include "analyser/insights/insights.h"
#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_details.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/memory/tile_metrics.h"
#include "analyser/operations/operations.h"
#include "analyser/program/program_tree.h"
#include "analyser/summary/summary.h"
#include "analyser/trace/blocks.h"
#include "analyser/trace/call_tree.h"
#include "analyser/trace/execution_trace.h"
#include "analyser/trace/pipeline.h"
#include "analyser/trace/tile_cycles.h"
#include "tests/support/called_tracks.h"

namespace tests {

// Queries every thread, counter and heatmap, as the Host view does.
inline void hostAnalyses(analyser::Session& session) {
  constexpr int kPixels = 64;
  constexpr std::size_t kMost = 100;
  analyser::host::HostTimeline timeline(session);
  const auto range = timeline.range();
  for (const auto& process : timeline.processes())
    for (const auto& thread : process.threads) {
      timeline.instants(thread.track, range, kMost);
      for (int depth = 0; depth < thread.depths; ++depth) {
        timeline.slices().cells(thread.track, depth, range, kPixels);
        const auto slice = timeline.slices().sliceAt(thread.track, depth, range.begin);
        if (!slice) continue;
        timeline.flowsOf(thread.track, *slice, kMost);
        timeline.details(slice->ref);
      }
    }
  timeline.statistics(range);
  analyser::trace::callTree(timeline.slices(), calledTracks(timeline), range, kMost);
  for (const auto& chart : analyser::host::counterCharts(session))
    for (const auto& series : chart.series) analyser::host::counterPoints(session, series.id, range, kPixels);
  for (const auto& heatmap : analyser::host::heatmaps(session))
    analyser::host::heatmapColumns(session, heatmap, heatmap.ticks, kPixels);
}

// ask(question) calls question(), which may throw reports::Error.
template<class Ask> void everyAnalysis(analyser::Session& session, Ask&& ask) {
  ask([&] {
    const auto summary = analyser::summary::summarise(session);
    analyser::summary::profileSummaryText(session, summary, {true, true});
  });
  for (const auto breakdown : {analyser::memory::Breakdown::ByCategory, analyser::memory::Breakdown::ByLiveness})
    ask([&] { analyser::memory::tileMemory(session, breakdown); });
  ask([&] { analyser::liveness::liveness(session, "all"); });
  ask([&] { analyser::operations::operations(session); });
  ask([&] { analyser::compare::compare(session, session); });
  ask([&] { analyser::insights::insights(session); });
  ask([&] { analyser::program::programTree(session); });
  ask([&] { analyser::trace::tileCyclesOfRuns(session); });
  ask([&] {
    analyser::trace::ExecutionTrace trace(session);
    trace.proportions(trace.range());
    trace.statistics(trace.range());
    analyser::trace::pipeline(trace);
  });
  ask([&] { analyser::trace::blockProfile(session); });
  ask([&] { hostAnalyses(session); });
  ask([&] { analyser::memory::topVariables(session, 10); });
  for (int metric = 0; metric < analyser::memory::kTileMetrics; ++metric)
    ask([&] { analyser::memory::tileMetric(session, analyser::memory::TileMetric(metric)); });
  ask([&] { analyser::liveness::lifetimes(session, 10); });
  ask([&] { analyser::html::reportPage(session); });
}

} // namespace tests

// Every analysis over any report: a damaged one gives an answer or an Error, never a crash. The input is a list of damages
// (damaged_report.h); none at all is the good report, of which every analysis has an answer.
#include "analyser/compare/compare.h"
#include "analyser/html/report_page.h"
#include "analyser/insights/insights.h"
#include "analyser/liveness/liveness.h"
#include "analyser/memory/tile_details.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/operations/operations.h"
#include "analyser/program/program_tree.h"
#include "analyser/summary/summary.h"
#include "analyser/trace/execution_trace.h"
#include "analyser/trace/pipeline.h"
#include "analyser/trace/tile_cycles.h"
#include "tests/fuzz/damaged_report.h"

using tests::reads;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static tests::DamagedReport damage;
  const std::string path = damage.apply({bytes, size}).string();
  bool all = true;
  const bool opened = reads([&] {
    const auto session = analyser::Session::open(path);
    const auto ask = [&](auto&& question) { all = reads(question) && all; };
    ask([&] {
      const auto summary = analyser::summary::summarise(*session);
      analyser::summary::profileSummaryText(*session, summary, {true, true});
    });
    for (const auto breakdown : {analyser::memory::Breakdown::ByCategory, analyser::memory::Breakdown::ByLiveness})
      ask([&] { analyser::memory::tileMemory(*session, breakdown); });
    ask([&] { analyser::liveness::liveness(*session, "all"); });
    ask([&] { analyser::operations::operations(*session); });
    ask([&] { analyser::compare::compare(*session, *session); });
    ask([&] { analyser::insights::insights(*session); });
    ask([&] { analyser::program::programTree(*session); });
    ask([&] { analyser::trace::tileCyclesOfRuns(*session); });
    ask([&] {
      analyser::trace::ExecutionTrace trace(*session);
      trace.proportions(trace.range());
      trace.statistics(trace.range());
      analyser::trace::pipeline(trace);
    });
    ask([&] { analyser::memory::topVariables(*session, 10); });
    ask([&] { analyser::liveness::lifetimes(*session, 10); });
    ask([&] { analyser::html::reportPage(*session); });
  });
  if (size == 0 && !(opened && all)) std::abort();
  return 0;
}

#include "simcore/run/simulate.h"

#include "reports/recording/tilescope_trace.h"
#include "simcore/graph/scales_output.h"
#include "simcore/run/lasting_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace simcore::run {

using namespace reports;
namespace trace = tilescope_trace;

namespace {
// Maps the progress of one of several runs to its part of the whole.
class OneOfRuns final : public Progress {
public:
  OneOfRuns(Progress& whole, int64_t runs) : m_whole(whole), m_runs(double(runs)) {}
  void phase(std::string_view) override {} // all runs are one phase
  void update(double fraction) override { m_whole.update((m_done + fraction) / m_runs); }
  void next() { ++m_done; }

private:
  Progress& m_whole;
  double m_runs, m_done = 0;
};

bool holdsScales(const std::string& stream) { return stream.starts_with(graph::kScalesOutput); }

// The exponents of fp8 scales over the runs, as a heatmap of the host timeline.
class ScaleHeatmaps {
public:
  explicit ScaleHeatmaps(const std::vector<std::string>& streams) {
    std::vector<double> edges; // one bin per power of two
    for (int power = -32; power <= 32; ++power) edges.push_back(power - 0.5);
    for (const std::string& stream : streams)
      if (holdsScales(stream))
        m_heatmaps.emplace_back(
            stream, trace::Heatmap("fp8 scales of " + stream.substr(graph::kScalesOutput.size()), edges, "power of two"));
  }
  void add(const Engine& engine) const {
    for (const auto& [stream, heatmap] : m_heatmaps)
      for (const auto& value : engine.received(stream)) heatmap.add(value.toDoubles());
  }

private:
  std::vector<std::pair<std::string, trace::Heatmap>> m_heatmaps;
};

} // namespace

void runPrograms(const Workload& workload, int64_t iterations, Engine& engine, const std::stop_token& stop, Progress& progress,
                 SimulateResult& result) {
  progress.phase("running");
  OneOfRuns share(progress, iterations + int64_t(workload.before.size() + workload.after.size()));
  const auto run = [&](std::size_t program, const std::string& name) {
    engine.run(program, name, stop, share);
    share.next();
  };
  // A run drops the values that the previous run delivered, so the last values of each stream are kept here.
  const auto keep = [&] {
    for (const std::string& stream : workload.outputs)
      if (const auto& values = engine.received(stream); !values.empty()) result.outputs[stream] = values;
  };
  const auto once = [&](const std::vector<std::size_t>& programs) {
    for (const std::size_t p : programs) {
      run(p, workload.programs.at(p).name);
      keep();
    }
  };
  for (const std::string& stream : workload.outputs) result.outputs[stream];
  once(workload.before);
  const ScaleHeatmaps scales(workload.outputs);
  for (int64_t i = 0; i < iterations; ++i) {
    run(0, workload.programs[0].name + " #" + std::to_string(i));
    scales.add(engine);
    for (const std::string& stream : workload.outputs)
      for (const auto& value : engine.received(stream))
        if (value.count() == 1 && !holdsScales(stream)) result.history[stream].push_back(value.at(0));
  }
  keep();
  once(workload.after);
  result.cycles = engine.cycle();
  result.seconds = double(engine.cycle()) / workload.graph->machine().clockHz;
}

namespace {
// NaN or infinity does not fail the run, but results that depend on it cannot be trusted.
template<class Values>
void tellNotFinite(const std::string& stream, const Values& values, SimulateResult& result, ReportSink& sink) {
  int64_t bad = 0, first = -1, all = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) ++bad, first = first < 0 ? all : first;
    ++all;
  }
  if (bad == 0) return;
  reports::ReportIssueRow row;
  row.severity = "warning";
  row.place = "output " + stream;
  row.message = all == 1 ? "NaN or infinite"
                         : "NaN or infinite in " + std::to_string(bad) + " of " + std::to_string(all) +
                               " values, first in value " + std::to_string(first + 1);
  row.advice = "try fp32, a smaller learning rate or another loss scale, and look at divisions and logarithms";
  row.count = bad;
  sink.add(row);
  result.notFinite.push_back(row.place + ": " + row.message);
}

void tellNotFinite(SimulateResult& result, ReportSink& sink) {
  for (const auto& [stream, values] : result.outputs)
    if (const auto history = result.history.find(stream); history != result.history.end())
      tellNotFinite(stream, history->second, result, sink);
    else
      for (const auto& value : values)
        if (numerics::isFloating(value.type())) tellNotFinite(stream, value.toDoubles(), result, sink);
}
} // namespace

std::optional<int64_t> samplesOfRun(const Workload& workload, int64_t iterations) {
  const auto number = [&](const char* key) {
    const auto it = workload.facts.find(key);
    return it == workload.facts.end() ? int64_t(1) : std::max<int64_t>(1, std::atoll(it->second.c_str()));
  };
  if (!workload.facts.contains("batch_size")) return std::nullopt;
  return number("batch_size") * number("micro_batches") * number("batches_per_step") *
         std::max(1, workload.graph->machine().replicas) * iterations;
}

namespace {
using Inputs = std::map<std::string, std::vector<numerics::HostTensor>>;

// `inputs` returns the values of each stream; it is called once.
SimulateResult simulateWith(Inputs inputs, const Workload& given, const SimulateOptions& options, ReportSink& sink,
                            HostTimeline& timeline, const std::stop_token& stop, Progress& progress) {
  ReportedEngine reported(given, options, sink, timeline, stop, progress);
  const Workload& workload = reported.workload();
  Engine& engine = reported.engine();
  const bool numbers = options.engine.numbers && reported.fits();
  if (numbers && workload.beforeNumbers) workload.beforeNumbers();
  SimulateResult result;
  result.fits = reported.fits();
  result.plans = reported.plans();
  result.idleIpus = reported.idleIpus();
  {
    const auto span = timeline.span("connect", "engine");
    for (auto& [stream, values] : inputs) engine.connectInput(stream, std::move(values));
    if (numbers) fillRemoteBuffers(workload, engine);
  }
  runPrograms(workload, std::max<int64_t>(1, options.iterations), engine, stop, progress, result);
  if (numbers) result.variables = lastingValues(workload, engine, options.readState);
  if (numbers) tellNotFinite(result, sink);
  reported.finish();
  return result;
}

} // namespace

SimulateResult simulate(const Workload& workload, const SimulateOptions& options, ReportSink& sink, HostTimeline& timeline,
                        std::stop_token stop, Progress& progress) {
  return simulateWith(workload.inputs, workload, options, sink, timeline, stop, progress);
}

SimulateResult simulate(Workload&& workload, const SimulateOptions& options, ReportSink& sink, HostTimeline& timeline,
                        std::stop_token stop, Progress& progress) {
  return simulateWith(std::exchange(workload.inputs, {}), workload, options, sink, timeline, stop, progress);
}

} // namespace simcore::run

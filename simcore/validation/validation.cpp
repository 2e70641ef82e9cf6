#include "simcore/validation/validation.h"

#include "simcore/run/simulate.h"
#include "simcore/samples/sample.h"
#include "simcore/validation/metrics.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace simcore::validation {

namespace {

// Equality of decimal numbers, as published values are: differences in the last bits do not count.
bool equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

Verdict judge(const Tolerance& tolerance, double simulated, double published, double error) {
  switch (tolerance.kind) {
  case Tolerance::Kind::Unreadable: return Verdict::Unsupported;
  case Tolerance::Kind::Report: return Verdict::Report;
  case Tolerance::Kind::Exact: return equal(simulated, published) ? Verdict::Pass : Verdict::Fail;
  case Tolerance::Kind::Fraction: break;
  }
  return std::abs(error) <= tolerance.fraction + 1e-12 ? Verdict::Pass : Verdict::Fail;
}

// One simulated run: its numbers, or the reason why there are none.
struct Outcome {
  MetricCollector rows;
  std::string problem; // why there are no numbers
  bool fits = true;
};

graph::Workload sampleOf(const ValidationCase& c, int64_t seed) {
  const samples::Sample& sample = samples::findSample(c.workload);
  samples::BuildOptions build;
  build.seed = seed;
  if (sample.distributes && c.ipus == 0)
    samples::placeAsShipped(sample, c.machine, build);
  else
    build.machine = arch::findMachine(c.machine, c.ipus);
  return sample.build(samples::Parameters(sample.name, sample.parameters, c.set), build);
}

Outcome simulateCase(const ValidationCase& c, int64_t seed, std::stop_token stop, const WorkloadOf& workloadOf) {
  Outcome outcome;
  try {
    CaseWorkload made = c.options.empty() || !workloadOf ? CaseWorkload{sampleOf(c, seed), {}, {}} : workloadOf(c, stop);
    const graph::Workload& workload = made.workload;
    run::SimulateOptions options;
    options.replanning = std::move(made.replanning);
    for (const auto& [name, value] : made.engineOptions) options.engineOptions.set(name, value, c.id);
    options.engine.numbers = false;
    options.engine.shownIterations = 1;
    options.engine.maxSlices = 0;
    // Published throughput is measured without a profiler, because its counters take memory on every tile.
    if (c.fits) options.engineOptions.set("debug.instrument", "false", c.id);
    options.seed = seed;
    if (const auto samples = run::samplesOfRun(workload)) options.metadata["samples"] = std::to_string(*samples);
    run::HostTimeline timeline("validate-model");
    reports::NoProgress quiet;
    outcome.fits = run::simulate(workload, options, outcome.rows, timeline, stop, quiet).fits;
  } catch (const reports::Error& error) {
    if (error.code() == reports::ErrorCode::Cancelled) throw;
    outcome.problem = error.what();
  } catch (const std::exception& error) { // e.g. no memory on this computer; the next case may fit
    outcome.problem = std::string("cannot be simulated here: ") + error.what();
  }
  return outcome;
}

double medianOf(std::vector<double> values) { // 0 if there is none
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

CaseResult unsupported(const ValidationCase& c, std::string problem) {
  CaseResult result;
  result.validationCase = c;
  result.problem = std::move(problem);
  if (c.fits) result.memory = Verdict::Unsupported;
  return result;
}

void judgeMemory(const Outcome& outcome, CaseResult& result) {
  result.fits = outcome.fits;
  result.fullestTile = outcome.rows.value("fullest_tile");
  if (const auto published = result.validationCase.fits)
    result.memory = *published == outcome.fits ? Verdict::Pass : Verdict::Fail;
}

CaseResult resultOf(const ValidationCase& c, const std::string& metric, const Outcome& outcome) {
  if (!outcome.problem.empty()) return unsupported(c, outcome.problem);
  CaseResult result;
  result.validationCase = c;
  judgeMemory(outcome, result);
  result.problem = c.remark;
  if (metric.empty()) {
    result.verdict = Verdict::Report;
    return result;
  }
  result.simulated = outcome.rows.value(metric);
  if (!result.simulated) return unsupported(c, "a run of " + c.workload + " has no " + metric + ": " + runsWithMetric(metric));
  if (c.value != 0)
    result.error = (*result.simulated - c.value) / c.value;
  else
    result.error = *result.simulated == 0 ? 0.0 : INFINITY;
  result.verdict = judge(c.tolerance, *result.simulated, c.value, *result.error);
  if (!outcome.fits && !c.fits) addRemark(result.problem, "out of memory: the program would not run on a chip");
  return result;
}

// Returns the result of the case; calls `run` for its outcome unless the case has a fault.
template<class Run> CaseResult resultOf(const ValidationCase& c, Run run) {
  if (!c.fault.empty()) return unsupported(c, c.fault);
  const auto metric = c.metric.empty() ? c.metric : metricCalled(c.metric);
  if (!metric) return unsupported(c, "'" + c.metric + "' is not a metric (metrics: " + metricNames() + ")");
  return resultOf(c, *metric, run());
}

} // namespace

const char* verdictName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Pass: return "pass";
  case Verdict::Fail: return "fail";
  case Verdict::Report: return "report";
  case Verdict::Unsupported: break;
  }
  return "unsupported";
}

CaseResult runCase(const ValidationCase& c, int64_t seed, std::stop_token stop, const WorkloadOf& workloadOf) {
  return resultOf(c, [&] { return simulateCase(c, seed, stop, workloadOf); });
}

std::vector<CaseResult> runCases(const std::vector<ValidationCase>& cases, int64_t seed, std::stop_token stop,
                                 reports::Progress& progress, const WorkloadOf& workloadOf) {
  using Run = std::tuple<std::string, std::map<std::string, std::string>, std::string, int, std::string>;
  std::map<Run, Outcome> runs;
  std::vector<CaseResult> results;
  progress.phase("validating");
  for (const ValidationCase& c : cases) {
    reports::throwIfStopped(stop);
    results.push_back(resultOf(c, [&]() -> const Outcome& {
      const Run key{c.workload, c.set, c.machine, c.ipus, c.options};
      auto run = runs.find(key);
      if (run == runs.end()) run = runs.emplace(key, simulateCase(c, seed, stop, workloadOf)).first;
      return run->second;
    }));
    progress.update(double(results.size()) / double(cases.size()));
  }
  return results;
}

Totals totalsOf(const std::vector<CaseResult>& results) {
  Totals totals;
  std::vector<double> errors;
  for (const CaseResult& r : results) {
    if (r.validationCase.fits) (r.memory == Verdict::Pass ? totals.memoryAsPublished : totals.memoryOtherwise) += 1;
    if (r.verdict == Verdict::Report) continue;
    // A case that should be judged but cannot be run counts as outside its tolerance.
    if (r.verdict == Verdict::Unsupported && r.validationCase.tolerance.kind == Tolerance::Kind::Report) continue;
    (r.verdict == Verdict::Pass ? totals.within : totals.outside) += 1;
    if (r.error) errors.push_back(std::abs(*r.error));
  }
  totals.medianError = medianOf(std::move(errors));
  return totals;
}

std::vector<FamilyTotals> familiesOf(const std::vector<CaseResult>& results) {
  std::vector<FamilyTotals> families;
  std::map<std::string, std::vector<double>> ratios;
  for (const CaseResult& r : results) {
    const std::string& family = r.validationCase.family;
    if (family.empty() || !r.error || !std::isfinite(*r.error)) continue;
    auto& values = ratios[family];
    if (values.empty()) families.push_back({family});
    values.push_back(1 + *r.error);
  }
  for (FamilyTotals& f : families) {
    const auto& values = ratios[f.family];
    f.cases = int64_t(values.size());
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    f.leastRatio = *least, f.greatestRatio = *greatest;
    f.medianRatio = medianOf(values);
  }
  return families;
}

} // namespace simcore::validation

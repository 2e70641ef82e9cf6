#include "simcore/validation/validation.h"

#include "simcore/run/simulate.h"
#include "simcore/samples/sample.h"
#include "simcore/validation/metrics.h"

#include <algorithm>
#include <cmath>

namespace simcore::validation {

namespace {

// Equal to the last printed digit: published values are decimal.
bool equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

Verdict judge(const Tolerance& tolerance, double simulated, double published, double error) {
  switch (tolerance.kind) {
  case Tolerance::Kind::Report: return Verdict::Report;
  case Tolerance::Kind::Exact: return equal(simulated, published) ? Verdict::Pass : Verdict::Fail;
  case Tolerance::Kind::Fraction: break;
  }
  return std::abs(error) <= tolerance.fraction + 1e-12 ? Verdict::Pass : Verdict::Fail;
}

std::optional<double> simulateMetric(const ValidationCase& c, int64_t seed, std::stop_token stop) {
  samples::BuildOptions build;
  build.machine = arch::findMachine(c.machine, c.ipus);
  build.seed = seed;
  const samples::Sample& sample = samples::findSample(c.workload);
  const graph::Workload workload = sample.build(samples::Parameters(sample.name, sample.parameters, c.set), build);
  run::SimulateOptions options;
  options.engine.numbers = false;
  options.engine.shownIterations = 1;
  options.engine.maxSlices = 0;
  options.seed = seed;
  MetricCollector rows;
  run::HostTimeline timeline("validate-model");
  reports::NoProgress quiet;
  run::simulate(workload, options, rows, timeline, stop, quiet);
  return rows.value(c.metric);
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

CaseResult runCase(const ValidationCase& c, int64_t seed, std::stop_token stop) {
  CaseResult result;
  result.validationCase = c;
  try {
    result.simulated = simulateMetric(c, seed, stop);
  } catch (const reports::Error& error) {
    using reports::ErrorCode;
    if (error.code() != ErrorCode::NotFound && error.code() != ErrorCode::InvalidInput && error.code() != ErrorCode::Unsupported)
      throw error.within("case " + c.id);
    result.problem = error.what();
    return result;
  }
  if (!result.simulated) {
    result.problem = "a run of " + c.workload + " has no " + c.metric;
    return result;
  }
  if (c.value != 0)
    result.error = (*result.simulated - c.value) / c.value;
  else
    result.error = *result.simulated == 0 ? 0.0 : INFINITY;
  result.verdict = judge(c.tolerance, *result.simulated, c.value, *result.error);
  return result;
}

std::vector<CaseResult> runCases(const std::vector<ValidationCase>& cases, int64_t seed, std::stop_token stop,
                                 reports::Progress& progress) {
  std::vector<CaseResult> results;
  progress.phase("validating");
  for (const ValidationCase& c : cases) {
    reports::throwIfStopped(stop);
    results.push_back(runCase(c, seed, stop));
    progress.update(double(results.size()) / double(cases.size()));
  }
  return results;
}

Totals totalsOf(const std::vector<CaseResult>& results) {
  Totals totals;
  std::vector<double> errors;
  for (const CaseResult& r : results) {
    if (r.verdict == Verdict::Report) continue;
    // A case that should be judged and cannot be run is outside.
    if (r.verdict == Verdict::Unsupported && r.validationCase.tolerance.kind == Tolerance::Kind::Report) continue;
    (r.verdict == Verdict::Pass ? totals.within : totals.outside) += 1;
    if (r.error) errors.push_back(std::abs(*r.error));
  }
  if (errors.empty()) return totals;
  std::sort(errors.begin(), errors.end());
  const std::size_t n = errors.size();
  totals.medianError = n % 2 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
  return totals;
}

} // namespace simcore::validation

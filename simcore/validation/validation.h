// Runs published cases on the simulator and compares the results. Only time and memory are simulated, no numbers: every metric is
// a time, a rate or a size.
#pragma once

#include "reports/core/progress.h"
#include "simcore/graph/workload.h"
#include "simcore/run/fit.h"
#include "simcore/validation/validation_case.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>

namespace simcore::validation {

enum class Verdict { Pass, Fail, Report, Unsupported };
const char* verdictName(Verdict verdict); // "pass", "fail", "report", "unsupported"

struct CaseResult {
  ValidationCase validationCase;
  std::optional<double> simulated;
  std::optional<double> error; // (simulated - published) / published
  Verdict verdict = Verdict::Unsupported;
  std::optional<double> fullestTile; // share of its memory that the fullest tile needs
  std::optional<bool> fits;          // whether the simulated program fits into memory
  Verdict memory = Verdict::Report;  // pass or fail if ValidationCase::fits is set
  std::string problem;               // why the number is missing, or why a chip cannot confirm it
};

// The workload of a case, which the caller makes from the case's options of `run`. `replanning` says how to plan it again if
// tiles overflow.
struct CaseWorkload {
  graph::Workload workload;
  run::Replanning replanning;
  std::map<std::string, std::string> engineOptions = {};
};
// Throws reports::Error for a wrong option.
using WorkloadOf = std::function<CaseWorkload(const ValidationCase& validationCase, std::stop_token stop)>;

// A case with a fault, or with an unknown metric, sample, machine or parameter, gets Verdict::Unsupported, not an exception.
CaseResult runCase(const ValidationCase& validationCase, int64_t seed, std::stop_token stop, const WorkloadOf& workloadOf = {});
// Cases that ask for different numbers of the same run share the run.
std::vector<CaseResult> runCases(const std::vector<ValidationCase>& cases, int64_t seed, std::stop_token stop,
                                 reports::Progress& progress, const WorkloadOf& workloadOf = {});

struct Totals {
  int64_t within = 0, outside = 0; // of the judged cases
  double medianError = 0;          // median of the absolute errors of the judged cases, as a fraction
  // Cases with a published verdict on memory: those in which the simulator agrees, and those in which it does not.
  int64_t memoryAsPublished = 0, memoryOtherwise = 0;
};
Totals totalsOf(const std::vector<CaseResult>& results);

// Ratios of simulated to published numbers, for the cases with a family.
struct FamilyTotals {
  std::string family;
  int64_t cases = 0;
  double medianRatio = 0, leastRatio = 0, greatestRatio = 0;
};
std::vector<FamilyTotals> familiesOf(const std::vector<CaseResult>& results); // in the order they first occur

} // namespace simcore::validation

// Runs published cases on the simulator and says how far off it is. Only time and memory are simulated, no numbers: every
// metric is a time, a rate or a size.
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
  std::optional<double> fullestTile; // share of a tile's memory that the fullest tile needs
  std::optional<bool> fits;          // the simulated verdict on memory
  Verdict memory = Verdict::Report;  // pass or fail where ValidationCase::fits is given
  std::string problem;               // why the number is missing, or cannot be confirmed by a chip
};

// The workload of a case with options of `run`, which the caller knows how to read, and how it is planned again if tiles overflow.
struct CaseWorkload {
  graph::Workload workload;
  run::Replanning replanning;
  std::map<std::string, std::string> engineOptions = {};
};
// Throws reports::Error for an option that is wrong.
using WorkloadOf = std::function<CaseWorkload(const ValidationCase& validationCase, std::stop_token stop)>;

// A fault in the case, or an unknown metric, sample, machine
// or parameter, makes a case unsupported, not an error.
CaseResult runCase(const ValidationCase& validationCase, int64_t seed, std::stop_token stop, const WorkloadOf& workloadOf = {});
// Cases that ask for several numbers of the same run share it.
std::vector<CaseResult> runCases(const std::vector<ValidationCase>& cases, int64_t seed, std::stop_token stop,
                                 reports::Progress& progress, const WorkloadOf& workloadOf = {});

struct Totals {
  int64_t within = 0, outside = 0;                    // of the judged cases
  double medianError = 0;                             // median of the absolute errors of judged cases, a fraction
  int64_t memoryAsPublished = 0, memoryOtherwise = 0; // number of cases that say whether they fitted the chip, by agreement
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

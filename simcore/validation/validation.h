// Runs published cases on the simulator and says how far off it is. Only time and memory are simulated, no numbers: every
// metric is a time, a rate or a size.
#pragma once

#include "reports/core/progress.h"
#include "simcore/validation/validation_case.h"

#include <cstdint>
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
  std::string problem; // why there is no number, or no chip that could confirm it
};

// A case with a fault, a metric, sample or machine that does not exist, or a parameter it does not take, makes a case unsupported,
// not an error.
CaseResult runCase(const ValidationCase& validationCase, int64_t seed, std::stop_token stop);
// Cases that ask for several numbers of the same run share it.
std::vector<CaseResult> runCases(const std::vector<ValidationCase>& cases, int64_t seed, std::stop_token stop,
                                 reports::Progress& progress);

struct Totals {
  int64_t within = 0, outside = 0; // of the judged cases
  double medianError = 0;          // of absolute errors of judged cases, a fraction
};
Totals totalsOf(const std::vector<CaseResult>& results);

} // namespace simcore::validation

// A published measurement as a case: which sample on which machine, which number of its run, what was published and how far
// off the model may be. The cases of resources/validation/cases.json are built into the library.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::validation {

// How a case is judged: within a fraction of the published value, to the last digit, or not at all.
struct Tolerance {
  enum class Kind { Fraction, Exact, Report };
  Kind kind = Kind::Report;
  double fraction = 0;
  std::string text() const; // "5 %", "exact", "report"
};

struct ValidationCase {
  std::string id, workload;
  std::map<std::string, std::string> set; // parameters of the sample
  std::string machine;
  int ipus = 0; // 0: the machine's default
  std::string metric;
  double value = 0;
  Tolerance tolerance;
  std::string kind, source; // hardware, model, planner …; where it was published
  std::string json;         // the object as it was given
};

// `{"cases": [..]}`, a plain array of the objects the file format describes, or one of them. Without a machine it is gc200. `where` names the file for errors. Throws
// Error(InvalidInput) that names the first bad case and member.
std::vector<ValidationCase> parseCases(std::string_view text, const std::string& where);
// The cases that are shipped.
std::vector<ValidationCase> builtInCases();

} // namespace simcore::validation

// A published measurement as a case: workload, machine, metric of the run, published value and tolerance of the model; for whole
// models also whether the program fitted the chip. The cases of resources/validation are built into the library: single
// operations from cases.json, whole models from models.json. A case with a fault stays in the list, so that one bad line of a
// user's file does not cost the other cases their verdicts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::validation {

// How a case is judged: within a fraction of the published value, to its last digit, or not at all.
struct Tolerance {
  enum class Kind { Fraction, Exact, Report, Unreadable };
  Kind kind = Kind::Report;
  double fraction = 0;
  std::string text() const; // "5 %", "exact", "report", "-"
};

struct ValidationCase {
  std::string id, workload;
  std::string title, family; // of a whole model: the published configuration in words, and the models it is compared with
  std::map<std::string, std::string> set; // parameters of the sample
  std::string machine;
  int ipus = 0;             // 0: the machine's default
  std::string options;      // options of the command `run`, as typed
  std::string metric;       // empty if only `fits` is judged
  double value = 0;         // NaN: unreadable
  std::optional<bool> fits; // whether the program fitted the chip
  Tolerance tolerance;
  std::string kind, source; // kind: hardware, model, planner …; source: the publication
  std::string json;         // the object as given
  std::string fault;        // why the case cannot run: the wrong member, its place and its expected value; empty if it can run
  std::string remark;       // unknown members, an id that another case also has; separated by semicolons
};

// Appends a remark to the others.
void addRemark(std::string& remarks, const std::string& remark);

// Reads `{"cases": [..]}`, an array of the objects that the file format describes, or one such object. The default machine is
// gc200; numbers may be strings. `where` names the file. Throws Error(InvalidInput) only if there is no list of cases.
std::vector<ValidationCase> parseCases(std::string_view text, const std::string& where);
// The shipped cases: of single operations, and of whole models.
std::vector<ValidationCase> builtInCases();
std::vector<ValidationCase> builtInModels();

} // namespace simcore::validation

// A published measurement as a case: workload, machine, the metric of its run, the published value and the tolerance of the model; for
// whole models also whether the chip held it. The cases of resources/validation are built into the library: cases.json has single
// operations, models.json whole models. A case with a fault stays in the list: one bad line of a user's file must not cost the others
// their verdicts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simcore::validation {

// How a case is judged: within a fraction of the published value, to the last digit, or not at all.
struct Tolerance {
  enum class Kind { Fraction, Exact, Report, Unreadable };
  Kind kind = Kind::Report;
  double fraction = 0;
  std::string text() const; // "5 %", "exact", "report", "-"
};

struct ValidationCase {
  std::string id, workload;
  std::string title, family; // for a whole model: the published configuration in words, and the models that it is compared with
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
  std::string fault;        // why it cannot run: the wrong member, its place, and its expected value; empty: no fault
  std::string remark;       // unknown members, an id that another case has too; separated by semicolons
};

// Appends a remark to the others.
void addRemark(std::string& remarks, const std::string& remark);

// `{"cases": [..]}`, a plain array of the objects the file format describes, or one of them. Without a machine it is gc200;
// numbers may be texts. `where` names the file. Throws Error(InvalidInput) only if the list of cases is missing.
std::vector<ValidationCase> parseCases(std::string_view text, const std::string& where);
// The shipped cases: single operations, and whole models.
std::vector<ValidationCase> builtInCases();
std::vector<ValidationCase> builtInModels();

} // namespace simcore::validation

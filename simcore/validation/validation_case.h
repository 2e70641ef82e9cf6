// A published measurement as a case: which workload on which machine, which number of its run, what was published and how far off
// the model may be; of a whole model also whether it fitted the chip. The cases of resources/validation are built into the
// library: cases.json has single operations, models.json whole models. A case with a fault is a case all the same: one line of a
// stranger's file must not cost the others their verdicts.
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
  std::string title, family; // of a whole model: the published configuration in words, and the models it is compared with
  std::map<std::string, std::string> set; // parameters of the sample
  std::string machine;
  int ipus = 0;             // 0: the machine's default
  std::string options;      // of the command `run`, as they are typed
  std::string metric;       // empty if only `fits` is judged
  double value = 0;         // NaN: unreadable
  std::optional<bool> fits; // whether the chip held it
  Tolerance tolerance;
  std::string kind, source; // hardware, model, planner …; where it was published
  std::string json;         // the object as it was given
  std::string fault;        // why it cannot be run: which member is wrong, where, and what it should be; empty: nothing is
  std::string remark;       // members that nobody reads, an id that another case has too; parted by semicolons
};

// Another remark behind those that there are.
void addRemark(std::string& remarks, const std::string& remark);

// `{"cases": [..]}`, a plain array of the objects the file format describes, or one of them. Without a machine it is gc200;
// numbers may be texts. `where` names the file. Throws Error(InvalidInput) only if there is no list of cases.
std::vector<ValidationCase> parseCases(std::string_view text, const std::string& where);
// The cases that are shipped: of single operations, and of whole models.
std::vector<ValidationCase> builtInCases();
std::vector<ValidationCase> builtInModels();

} // namespace simcore::validation

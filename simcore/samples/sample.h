// A sample graph: its description, its parameters and the function that builds it.
#pragma once

#include "reports/core/progress.h"
#include "simcore/graph/workload.h"
#include "simcore/placement/parallelism.h"

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace simcore::samples {

struct Parameter {
  std::string name, defaultValue, text;
  std::vector<std::string> choices = {}; // the possible values, as a form offers them; "0" and "1": a switch. Empty: any value
};

// The values of a run: defaults, replaced by the values that the user set.
class Parameters {
public:
  // Names match in any spelling: `vertexCycles` and `vertex-cycles` are vertex_cycles. Throws Error(InvalidInput) listing the
  // known names if `given` has an unknown name, or the same name twice.
  Parameters(const std::string& sample, const std::vector<Parameter>& known, const std::map<std::string, std::string>& given);
  const std::string& text(const std::string& name) const { return m_values.at(name); }
  // Throws Error(InvalidInput) naming the parameter if it is not a whole number in [low, high].
  int64_t integer(const std::string& name, int64_t low, int64_t high) const;
  double number(const std::string& name, double low, double high) const;
  // One of the parameter's choices, or of `allowed`, in its listed spelling. Throws Error(InvalidInput) for any other value.
  std::string choice(const std::string& name) const { return choice(name, m_choices.at(name)); }
  std::string choice(const std::string& name, const std::vector<std::string>& allowed) const;
  // A copy with other defaults; values set by the user stay.
  Parameters with(const std::map<std::string, std::string>& defaults) const;
  bool has(const std::string& name) const { return m_values.count(name) > 0; }
  bool isGiven(const std::string& name) const { return m_given.count(name) > 0; }
  // A copy with a value set as if by the user.
  Parameters given(const std::string& name, const std::string& value) const;
  const std::map<std::string, std::string>& all() const { return m_values; }
  // Records the effective value of a parameter with a symbolic value, e.g. 0 for the preset's layers. Reports show it; copies
  // share it.
  void means(const std::string& name, int64_t value) const { (*m_meant)[name] = std::to_string(value); }
  const std::map<std::string, std::string>& meant() const { return *m_meant; }

private:
  std::map<std::string, std::string> m_given;
  std::map<std::string, std::string> m_values;
  std::map<std::string, std::vector<std::string>> m_choices;
  std::shared_ptr<std::map<std::string, std::string>> m_meant = std::make_shared<std::map<std::string, std::string>>();
};

struct BuildOptions {
  arch::Machine machine;
  numerics::ElementType type = numerics::ElementType::Float; // --precision
  // Whether --precision was given, which replaces the default of a parameter `type`; no sample may ignore it.
  bool typeGiven = false;
  int64_t seed = 0;
  int64_t iterations = 1;
  model::Parallelism parallel; // for samples that distribute; `machine` is then that of one replica
  // Stops drawing the data of many iterations, which takes a while.
  std::stop_token stop;
  reports::Progress* progress = nullptr; // null: progress is not reported
};

// Other settings of a sample, chosen with `--set variant=NAME`, whose report is worth comparing with the default's.
struct Variant {
  std::string name; // "tuned": better than the default; "naive": worse than it. "": the sample has none
  std::map<std::string, std::string> settings;
  std::string text;   // what changes, and what `compare` shows
  std::string figure; // baseline figure (baseline.h) that is smaller in the better of the two
};

// One step of the lesson that the window shows above a report of the sample.
struct LessonStep {
  std::string place; // the address of a view, without a report: "tilescope:?view=memory&set.tab=code"
  std::string text;  // one sentence about the view and its meaning, true for the default run
};

struct Sample {
  std::string name, title;
  std::string text;  // what to look at; a paragraph
  std::string group; // heading in lists: "Networks", "Graph networks", …
  std::string names; // other names that users search for, such as ResNeXt or Llama; may be empty
  std::vector<Parameter> parameters;
  std::function<graph::Workload(const Parameters&, const BuildOptions&)> build;
  bool distributes = false;     // build() obeys BuildOptions::parallel; other samples place their work themselves
  int stages = 0, replicas = 1; // defaults of a sample that distributes; the command line may set others
  Variant variant;
  std::vector<LessonStep> lesson = {};
};

// All samples, in the order of display. A sample with a variant has the parameter `variant`. Workloads record the values of all
// parameters.
const std::vector<Sample>& catalogue();
// Finds a sample by name in any spelling: "Tile Matmul" is tile-matmul. Throws Error(NotFound) that lists the names.
const Sample& findSample(const std::string& name);
// Sets the options of a network sample to its default numbers of stages and replicas, on `machine` with the IPUs that they
// need.
void placeAsShipped(const Sample& sample, const std::string& machine, BuildOptions& options);

} // namespace simcore::samples

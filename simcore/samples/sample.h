// A shipped sample graph: what it shows, what can be set, and how it is built.
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
  std::vector<std::string> choices =
      {}; // all values that it may have, as a form offers them; "0" and "1": a switch. Empty: other values
};

// The values of a run: defaults, replaced by the values that the user set.
class Parameters {
public:
  // Names match in any spelling: `vertexCycles` and `vertex-cycles` are vertex_cycles. Throws Error(InvalidInput) that lists the known
  // names if `given` has another, or if it has one twice.
  Parameters(const std::string& sample, const std::vector<Parameter>& known, const std::map<std::string, std::string>& given);
  const std::string& text(const std::string& name) const { return m_values.at(name); }
  // Throws Error(InvalidInput) naming the parameter if it is not a whole number in [low, high].
  int64_t integer(const std::string& name, int64_t low, int64_t high) const;
  double number(const std::string& name, double low, double high) const;
  // One of the parameter's choices, or of `allowed`, as it is spelt there, else Error(InvalidInput).
  std::string choice(const std::string& name) const { return choice(name, m_choices.at(name)); }
  std::string choice(const std::string& name, const std::vector<std::string>& allowed) const;
  // The same with other defaults; values set by the user stay.
  Parameters with(const std::map<std::string, std::string>& defaults) const;
  bool has(const std::string& name) const { return m_values.count(name) > 0; }
  bool isGiven(const std::string& name) const { return m_given.count(name) > 0; }
  // Adds a value as if the user had set it.
  Parameters given(const std::string& name, const std::string& value) const;
  const std::map<std::string, std::string>& all() const { return m_values; }
  // The effective value of a parameter whose value is symbolic, e.g. 0 for the preset's layers. Reports show it; copies share it.
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
  bool typeGiven = false; // --precision was given: it replaces the default of a parameter `type`, and no sample may ignore it
  int64_t seed = 0;
  int64_t iterations = 1;
  model::Parallelism parallel; // for samples that distribute; `machine` is then that of one replica
  // Data for many iterations takes a while to draw.
  std::stop_token stop;
  reports::Progress* progress = nullptr; // null: progress is not reported
};

// Other settings of a sample, chosen with `--set variant=NAME`, so that two reports of it are worth comparing.
struct Variant {
  std::string name; // "tuned": better than the default; "naive": worse than it. "": the sample has none
  std::map<std::string, std::string> settings;
  std::string text;   // what changes, and what `compare` shows
  std::string figure; // figure of the baseline (baseline.h) that is smaller in the better variant
};

// One step of the lesson that the window shows above a report of the sample.
struct LessonStep {
  std::string place; // as a link to a view has it, without a report: "tilescope:?view=memory&set.tab=code"
  std::string text;  // one sentence about the place and its meaning; true of the default run
};

struct Sample {
  std::string name, title;
  std::string text;  // what to look at, a paragraph
  std::string group; // as lists show it: "Networks", "Graph networks", …
  std::string names; // other names that people look for, such as ResNeXt or Llama; may be empty
  std::vector<Parameter> parameters;
  std::function<graph::Workload(const Parameters&, const BuildOptions&)> build;
  bool distributes = false;     // build() obeys BuildOptions::parallel; the others place their work by themselves
  int stages = 0, replicas = 1; // of a sample that distributes, unless the command line sets them
  Variant variant;
  std::vector<LessonStep> lesson = {};
};

// All samples, in the order they are shown. Those with a variant have the parameter `variant`, and their workloads name the
// values of all parameters.
const std::vector<Sample>& catalogue();
// Finds a sample by name in any spelling: "Tile Matmul" is tile-matmul. Throws Error(NotFound) that lists the names.
const Sample& findSample(const std::string& name);
// Sets the options of a network sample to its default numbers of stages and replicas, on `machine` with the IPUs that they
// need.
void placeAsShipped(const Sample& sample, const std::string& machine, BuildOptions& options);

} // namespace simcore::samples

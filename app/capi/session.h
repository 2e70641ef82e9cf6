// A model that is compiled once and run many times: weights, optimiser state and
// random state stay on the simulated machine between runs. If an option or a
// weight changes the program, the next run compiles it again and keeps all values.
#pragma once

#include "app/capi/session_options.h"
#include "reports/rows/row_log.h"
#include "simcore/model/graph/graph.h"
#include "simcore/run/reported_engine.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace app::capi {

using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;
using simcore::numerics::Shape;

enum class WeightKind { Parameter, Statistic, State, Constant }; // numbers of tilescope.h

struct Port { // an input, an output, or a weight
  std::string name;
  ElementType type = ElementType::Float;
  Shape shape;
  int64_t transfers = 1; // in one run
  WeightKind kind = WeightKind::Constant;
  int64_t bytes() const;
};

class Session {
public:
  explicit Session(simcore::model::Model read);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void set(const std::string& option, const std::string& value);
  // Throws Error(OutOfMemory) for a model that does not fit; writeReport() then gives the details.
  void compile();

  // The ports of the compiled program; calls compile() if needed.
  const std::vector<Port>& inputs();
  const std::vector<Port>& outputs();
  // Before the compilation, the constants of the model; afterwards also its variables.
  const std::vector<Port>& weights();

  // Any value of the model as a port; its type and shape come from type inference, without a compilation.
  const Port& value(const std::string& name);

  // Sets the values of an input: all transfers of one run in sequence, in the type of the input.
  void writeInput(const std::string& name, const void* data, std::size_t bytes);
  void run();
  void readOutput(const std::string& name, void* data, std::size_t bytes);

  void readWeight(const std::string& name, void* data, std::size_t bytes);
  void writeWeight(const std::string& name, const void* data, std::size_t bytes);
  void saveModel(const std::string& file);

  int64_t cycles() const;    // of all runs since the last compilation; -1: it was not compiled
  int64_t runCycles() const; // of the last run; -1 before the first run
  double clock() const;
  const std::vector<std::string>& notes() const { return m_notes; }
  void writeReport(const std::string& file);

private:
  struct Program;
  void requireCompiled();
  void build();
  void describe(const cli::LoadedModel& loaded, const cli::WorkloadRequest& request);
  void noteFacts();
  void keepValues();
  void writeAskedReports();
  const Port& weight(const std::string& name);
  HostTensor valueOf(const std::string& name);

  simcore::model::Model m_read;
  SessionOptions m_options;
  std::map<std::string, HostTensor> m_values; // values that changed since the model was read: parameters, constants, state
  std::unique_ptr<Program> m_program;         // null: not compiled
  bool m_isStale = false;                     // an option or constant has changed since the compilation
  std::vector<Port> m_inputs, m_outputs, m_weights;
  std::map<std::string, Port> m_valuePorts;               // from type inference, after the first request
  std::map<std::string, std::vector<HostTensor>> m_given; // values of inputs
  std::vector<std::string> m_notes;
};

} // namespace app::capi

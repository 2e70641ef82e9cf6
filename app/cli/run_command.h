// `run GRAPH`: simulates a sample or an ONNX model, or starts a program of the SDK, and writes the report. If the graph does not
// fit, it still writes a report, and the exit code is 1.
#pragma once

#include "app/cli/console_progress.h"
#include "app/cli/output_files.h"
#include "app/cli/program_run.h"
#include "app/cli/workload_source.h"
#include "reports/sqlite/writer.h"
#include "simcore/run/preview.h"
#include "simcore/run/simulate.h"

#include <cstdint>
#include <functional>

namespace app::cli {

class RunCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "run"; }
  const char* summary() const override { return "Simulate a sample, an ONNX model or a program and write a report"; }

  // Throws an Error if the graph, or a parameter of it, is unknown. Call it after parsing.
  void requireGraph() const;
  // For commands that start runs with the same options.
  const std::string& graph() const { return m_request.graph; }
  bool asJson() const { return m_json; }
  ProgressStyle progress() const { return m_progress; }
  void requireOneGraph() const; // throws like requireGraph(), and for options that write files
  // Makes the graph like a run and discards it. Throws an Error if a setting cannot have its value.
  void requireLoadable(const std::stop_token& stop);

private:
  RunFiles runFiles() const;
  void readRequest();
  simcore::run::EngineOptionSet readEngineOptions(Context& context) const;
  void requireNumbers() const; // throws Error(InvalidInput) for an option that has no effect with --no-numbers or --dry-run
  int dryRun(Context& context, const simcore::graph::Workload& workload, simcore::run::SimulateOptions options,
             simcore::run::HostTimeline& timeline, reports::Progress& progress) const;
  simcore::run::SimulateOptions simulateOptions(Context& context, const simcore::graph::Workload& workload,
                                                simcore::run::EngineOptionSet engineOptions) const;
  // Simulates; moves the inputs out of the workload.
  simcore::run::SimulateResult simulated(simcore::graph::Workload& workload, const simcore::run::SimulateOptions& options,
                                         reports::Writer& writer, simcore::run::HostTimeline& timeline,
                                         const std::stop_token& stop, reports::Progress& progress) const;
  void printNotes(Context& context, const simcore::graph::Workload& workload, const simcore::run::SimulateResult& result) const;
  std::vector<std::string> writeFiles(const simcore::run::SimulateResult& result) const; // outputs and the trained model
  bool isGiven(const char* option) const;                                                // by its first name
  ProgramRun programRun() const; // throws Error(InvalidInput) for options that a program does not take
  int runProgram(Context& context);
  std::vector<std::string> writeFilesBeside(const simcore::run::SimulateResult& result) const;

  WorkloadRequest m_request;
  std::string m_report, m_outputs, m_precision = "fp32";
  std::vector<std::string> m_inputs, m_settings, m_engineOptions, m_tagWords;
  std::string m_tagFile;
  std::map<std::string, std::string> m_tags; // by metadata key
  std::vector<std::string> m_asked;          // reports that engine options ask for
  bool m_noNumbers = false, m_json = false, m_seedGiven = false, m_force = false, m_noFollow = false, m_dryRun = false;
  int64_t m_memoryLimit = 0; // bytes; 0: the default
  ProgressStyle m_progress = ProgressStyle::Automatic;
  std::string m_arguments, m_environment, m_folder;  // of a program
  std::function<std::vector<std::string>()> m_given; // names of the options that were given
};

} // namespace app::cli

// `run GRAPH`: simulate a sample or an ONNX model and write the report. A model that does not fit still gives a report; the
// exit code is then 1.
#pragma once

#include "app/cli/console_progress.h"
#include "app/cli/output_files.h"
#include "app/cli/workload_source.h"

#include <cstdint>

namespace app::cli {

class RunCommand final : public Command {
public:
  void declare(CLI::App& command) override;
  int run(Context& context) override;
  const char* name() const override { return "run"; }
  const char* summary() const override { return "Simulate a sample or an ONNX model and write a report"; }

private:
  void declareParallelism(CLI::App& command);
  RunFiles runFiles() const;

  WorkloadRequest m_request;
  std::string m_report, m_outputs, m_precision = "fp32", m_recompute = "none", m_overlapIo = "inner";
  std::vector<std::string> m_inputs, m_settings, m_engineOptions, m_offload;
  bool m_noNumbers = false, m_json = false, m_seedGiven = false;
  ProgressStyle m_progress = ProgressStyle::Automatic;
};

} // namespace app::cli

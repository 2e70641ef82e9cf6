// `onnx-test DIR…`: every folder with model.onnx and test_data_set_*, run on a simulated machine, one line each. An operator that
// this version lacks is not a failure: it is counted as skipped and named.
#pragma once

#include "app/cli/console_progress.h"
#include "app/cli/onnx_case.h"
#include "app/cli/workload_source.h"

namespace app::cli {

class OnnxTestCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "onnx-test"; }
  const char* summary() const override { return "Run ONNX models on their test data and compare"; }

private:
  CaseResult ofFiles(const CaseOptions& options, const std::stop_token& stop, reports::Progress& progress) const;

  std::vector<std::string> m_folders, m_disabledPasses, m_inputs, m_expected;
  Tolerance m_tolerance;
  std::string m_machine = "gc200", m_precision = "fp32";
  WorkloadRequest m_request; // only its precision is used
  int m_ipus = 0;
  bool m_json = false, m_strict = false;
  ProgressStyle m_progress = ProgressStyle::Automatic;
};

} // namespace app::cli

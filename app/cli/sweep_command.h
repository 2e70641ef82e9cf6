// `sweep plan|run|merge|emit`: many runs with different settings, on this computer or on a cluster. See analyser/sweep.
#pragma once

#include "app/cli/console_progress.h"
#include "app/cli/sweep_runner.h"
#include "app/cli/sweep_scripts.h"

namespace app::cli {

class SweepCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "sweep"; }
  const char* summary() const override { return "Run a graph with many settings, here or on a cluster, and merge the results"; }

private:
  void declarePlan(Options command);
  void declareRun(Options command);
  void declareMerge(Options command);
  void declareEmit(Options command);
  void declareReadable(Options command);
  int plan(Context& context);
  int runIt(Context& context);
  int merge(Context& context);
  int emit(Context& context);

  int (SweepCommand::*m_chosen)(Context&) = nullptr;
  std::string m_spec, m_folder, m_manifest, m_program;
  SweepSlice m_slice;
  std::vector<std::string> m_readable, m_executable;
  std::string m_keep = "reports", m_scheduler;
  int64_t m_leaseSeconds = 60, m_timeoutSeconds = 0;
  std::size_t m_count = 0;
  int m_most = 0;
  bool m_csv = false;
  ProgressStyle m_progress = ProgressStyle::Automatic;
};

} // namespace app::cli

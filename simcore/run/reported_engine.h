// A workload that is compiled, loaded and reported, and whose runs the caller drives: for programs that connect callbacks, read
// handles between runs or decide themselves how often to run. simulate() is this with a fixed course.
#pragma once

#include "simcore/graph/workload.h"
#include "simcore/run/engine.h"
#include "simcore/run/engine_options.h"

#include <tbb/global_control.h>

#include <map>
#include <memory>
#include <string>

namespace simcore::run {

using graph::Workload;

struct SimulateOptions {
  EngineOptions engine;
  int64_t iterations = 1; // Engine::run calls of program 0
  int64_t seed = 0;
  std::map<std::string, std::string> metadata; // more rows of the metadata table
  EngineOptionSet engineOptions;
  bool readState = false; // SimulateResult::variables has Workload::state as well
};

class ReportedEngine {
public:
  // Compiles, and writes what is known before anything runs. Of the workload it uses the graph, the programs, the name and what is
  // to be said about it; inputs are the caller's to connect. A graph that does not fit is reported (state out_of_memory) and only
  // its time is simulated; with debug.allowOutOfMemory off it throws Error(OutOfMemory) instead. All arguments outlive it.
  ReportedEngine(const Workload& workload, const SimulateOptions& options, reports::ReportSink& sink, HostTimeline& timeline,
                 std::stop_token stop, reports::Progress& progress);

  Engine& engine() { return *m_engine; }
  const compile::Executable& executable() const { return m_executable; }
  bool fits() const { return m_executable.allocation.fits(); }
  int idleIpus() const { return m_idleIpus; } // on whose tiles no vertex runs
  // Writes what the runs so far were; once, at the end.
  void finish();

private:
  std::unique_ptr<tbb::global_control> m_threads;
  reports::ReportSink& m_sink;
  HostTimeline& m_timeline;
  reports::StringPool m_strings;
  compile::Executable m_executable;
  int m_idleIpus = 0;
  std::unique_ptr<ExecutionRecorder> m_recorder;
  std::unique_ptr<Engine> m_engine;
};

} // namespace simcore::run

// Compiles, loads and reports a workload; the caller starts the runs. For programs that connect callbacks, read handles between
// runs, or decide themselves how often to run. simulate() does the same with a fixed sequence of runs.
#pragma once

#include "reports/rows/row_log.h"
#include "simcore/graph/workload.h"
#include "simcore/run/engine.h"
#include "simcore/run/engine_options.h"
#include "simcore/run/fit.h"

#include <map>
#include <memory>
#include <string>

namespace simcore::run {

using graph::Workload;

struct SimulateOptions {
  EngineOptions engine;
  int64_t iterations = 1; // Engine::run calls of program 0
  int64_t seed = 0;
  std::map<std::string, std::string> metadata; // additional rows of the metadata table
  EngineOptionSet engineOptions;
  bool readState = false;     // SimulateResult::variables includes Workload::state
  bool strictPlaces = true;   // compile::CompileOptions
  bool rowsWhenAsked = false; // a ReportedEngine writes the rows known before a run only in writeTo()
  Replanning replanning;      // without a function by default: a program that does not fit is planned only once
};

class ReportedEngine {
public:
  // Compiles, plans again if the options allow it, and writes the rows that are known before a run. It uses the workload's graph,
  // programs, name and facts for the report; the caller connects the inputs. A graph that does not fit is reported (state
  // out_of_memory) and only its time is simulated; with debug.allowOutOfMemory off it throws Error(OutOfMemory) instead. All
  // arguments must outlive it.
  ReportedEngine(const Workload& workload, const SimulateOptions& options, reports::ReportSink& sink, HostTimeline& timeline,
                 std::stop_token stop, reports::Progress& progress);
  ~ReportedEngine();

  Engine& engine() { return *m_engine; }
  // The workload that runs: the given one, or one planned again that fits better (SimulateOptions::replanning).
  const Workload& workload() const { return m_program.workload ? *m_program.workload : m_given; }
  const compile::Executable& executable() const { return m_program.executable; }
  bool fits() const { return executable().allocation.fits(); }
  int plans() const { return m_program.plans; } // number of compiled plans
  int idleIpus() const { return m_idleIpus; }   // IPUs without a vertex
  // Writes the rows of all runs; to be called once, at the end.
  void finish();
  // Writes a whole report of the runs so far, any number of times. The engine's sink must be `log`.
  void writeTo(reports::ReportSink& report, const reports::RowLog& log);
  // Makes a new engine for the same program: every tensor has its initial value and nothing is connected.
  void restart();

private:
  struct ThreadLimit;
  void writeRows(reports::ReportSink& sink);

  std::unique_ptr<ThreadLimit> m_threads;
  reports::ReportSink& m_sink;
  HostTimeline& m_timeline;
  reports::StringPool m_strings;
  const Workload& m_given;
  const SimulateOptions m_options;
  FittedProgram m_program;
  int m_idleIpus = 0;
  std::unique_ptr<ExecutionRecorder> m_recorder;
  std::unique_ptr<Engine> m_engine;
};

} // namespace simcore::run

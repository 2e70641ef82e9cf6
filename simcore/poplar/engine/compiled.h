// A compiled graph with its programs: the contents of an Executable, run by an Engine.
#pragma once

#include "poplar/Executable.hpp"
#include "poplar/Graph.hpp"
#include "reports/rows/row_log.h"
#include "simcore/graph/workload.h"
#include "simcore/poplar/report_services.h"
#include "simcore/poplar/store/stored_graph.h"
#include "simcore/run/reported_engine.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simcore::poplar {

// Options under their Poplar names, and the requested report files.
struct EngineWishes {
  run::EngineOptionSet options;
  std::vector<std::string> reports; // files
};
// Merges `given` with the environment, which takes precedence. Names each unknown option once.
EngineWishes wishesOf(const ::poplar::OptionFlags& given, bool isModel);

class Compiled {
public:
  // Throws Poplar's exceptions.
  Compiled(const ::poplar::Graph& graph, ::poplar::ArrayRef<::poplar::program::Program> programs,
           const ::poplar::OptionFlags& options, const std::function<void(int, int)>& progress, const std::string& name);
  // Compiles a program that was stored in a file by toBytes().
  explicit Compiled(const StoredProgram& stored);
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  run::Engine& engine() { return m_reported->engine(); }
  void restart() { m_reported->restart(); }
  const ::poplar::Target& target() const { return m_target; }
  const graph::Graph& graph() const { return *m_workload.graph; }
  // The program in the form that stored_graph.h writes. Throws reports::Error.
  StoredProgram stored() const;
  Rows rows(); // rows of the runs so far; valid while this object exists
  void addReports(const std::vector<std::string>& files);
  const std::vector<std::pair<std::string, std::string>>& givenOptions() const { return m_given; } // by the program
  // Writes the requested reports; once, at the end.
  void writeReports();

private:
  void compile();

  ::poplar::Target m_target;
  graph::Workload m_workload;
  run::SimulateOptions m_options;
  reports::RowLog m_log;
  std::unique_ptr<run::HostTimeline> m_timeline;
  std::unique_ptr<run::ReportedEngine> m_reported;
  std::vector<std::string> m_reports;
  std::vector<std::pair<std::string, std::string>> m_given; // options of the program
  std::shared_ptr<::poplar::SharedByGraphs> m_shared;
};

} // namespace simcore::poplar

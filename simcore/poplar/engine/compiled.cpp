#include "simcore/poplar/engine/compiled.h"

#include "reports/core/text.h"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/inner.h"
#include "simcore/run/auto_reports.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <set>

namespace simcore::poplar {

using reports::Error;
using reports::ErrorCode;

// ---- options ----------------------------------------------------------------------------------------------------------

EngineWishes wishesOf(const ::poplar::OptionFlags& given, bool isModel) {
  EngineWishes wishes;
  try {
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : given) values[name] = value;
    if (const char* json = std::getenv("POPLAR_ENGINE_OPTIONS"); json && *json) {
      run::EngineOptionSet environment;
      environment.readJson(json, "POPLAR_ENGINE_OPTIONS");
      for (const auto& [name, value] : environment.all())
        if (environment.isSet(name)) values[name] = value;
    }
    if (isModel) wishes.options.set("tilescope.estimatesWin", "true", "IPUModel");
    wishes.options.set("debug.allowOutOfMemory", "false", "Engine");
    wishes.options.set("tilescope.readsBeside", "true", "Engine"); // the machine does not check accesses
    for (const auto& [name, value] : values) wishes.options.set(name, value, "engine option");
    std::string unknown;
    for (const std::string& name : wishes.options.unknown()) unknown += (unknown.empty() ? "" : ", ") + name;
    if (!unknown.empty()) warnOnce("engine options without effect here: " + unknown);
    wishes.reports = run::reportsAskedFor(wishes.options);
  } catch (const Error& error) {
    throw ::poplar::invalid_option(error.what());
  }
  return wishes;
}

// ---- compiling --------------------------------------------------------------------------------------------------------

namespace {

class ToFunction final : public reports::Progress {
public:
  explicit ToFunction(const std::function<void(int, int)>& f) : m_function(f) {}
  void phase(std::string_view) override {}
  void update(double fraction) override {
    const int now = int(fraction * kSteps);
    if (!m_function || now <= m_last) return;
    m_last = now;
    m_function(now, kSteps);
  }

private:
  static constexpr int kSteps = 100;
  const std::function<void(int, int)>& m_function;
  int m_last = -1;
};

// The graphs whose reports are written at exit, if the process ends without destroying their engines.
std::set<Compiled*>& live() {
  static auto* all = new std::set<Compiled*>;
  return *all;
}
void writeAll() {
  const auto all = live();
  for (Compiled* compiled : all) compiled->writeReports();
}

// Throws the compiler's error again, as one of Poplar's exception classes.
[[noreturn]] void rethrowOfCompiler() {
  try {
    throw;
  } catch (const Error& error) {
    const std::string text = error.what();
    const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
    if (error.code() == ErrorCode::OutOfMemory) throw ::poplar::graph_memory_allocation_error(text);
    if (says("tile") && (says("no tile") || says("not mapped") || says("without a tile")))
      throw ::poplar::invalid_tile_mapping(text);
    if (says("two vertices") || says("writes")) throw ::poplar::control_program_error(text);
    if (says("not connected") || says("connected to nothing") || says("is connected"))
      throw ::poplar::graph_connection_error(text);
    throw ::poplar::poplar_error(text);
  }
}

std::string nameOfProgram() {
  std::error_code none;
  const std::string name = std::filesystem::read_symlink("/proc/self/exe", none).filename().string();
  return name.empty() ? "program" : name;
}

} // namespace

Compiled::Compiled(const ::poplar::Graph& graph, ::poplar::ArrayRef<::poplar::program::Program> programs,
                   const ::poplar::OptionFlags& options, const std::function<void(int, int)>& progress, const std::string& name)
    : m_target(::poplar::core::TargetAccess::made(inner(graph).machine(), graph.getTarget().getTargetType(),
                                                  graph.getTarget().getTargetArchString())) {
  for (const auto& [option, value] : options) m_given.emplace_back(option, value);
  m_shared = ::poplar::core::GraphAccess::inside(graph).shared;
  if (!m_shared->missingSymbols.empty())
    throw ::poplar::link_error("the codelets use symbols that none of their files defines: " +
                               fmt::format("{}", fmt::join(m_shared->missingSymbols, ", ")));
  EngineWishes wishes = wishesOf(options, m_target.getTargetType() == ::poplar::TargetType::IPU_MODEL);
  m_reports = std::move(wishes.reports);
  const bool mayOverflow = wishes.options.flag("debug.allowOutOfMemory");
  wishes.options.set("debug.allowOutOfMemory", "true", "Engine"); // so that a program that does not fit gets a report
  m_options.engineOptions = std::move(wishes.options);
  m_options.engine.maxSlices = 1'000'000;
  m_options.rowsWhenAsked = true;
  m_options.strictPlaces = false; // Poplar copies a tensor that is on the wrong tile
  m_options.seed = m_options.engineOptions.integer("prng.seed");
  m_options.metadata = run::metadataOfRun();
  m_options.metadata.merge(std::map<std::string, std::string>{{"tool", "libpoplar"}, {"tool_version", TILESCOPE_VERSION}});
  m_workload.name = name.empty() ? nameOfProgram() : name;
  m_workload.graph = std::const_pointer_cast<graph::Graph>(inner(graph).getTopLevelGraph().snapshot());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    graph::Program node = inner(programs[i]);
    m_workload.programs.push_back({"program " + std::to_string(i), node ? node : graph::Sequence().program()});
  }
  m_workload.dataOfReplicas = m_workload.graph->machine().replicas > 1;
  m_timeline = std::make_unique<run::HostTimeline>(m_workload.name);
  ToFunction toFunction(progress);
  try {
    m_reported = std::make_unique<run::ReportedEngine>(m_workload, m_options, m_log, *m_timeline, std::stop_token(), toFunction);
  } catch (const Error&) {
    rethrowOfCompiler();
  }
  static const int registered = std::atexit(writeAll);
  (void)registered;
  live().insert(this);
  if (m_reported->fits() || mayOverflow) return;
  const std::string profile = m_reports.empty() ? std::string() : m_reports.front();
  writeReports();
  live().erase(this);
  const auto& allocation = m_reported->executable().allocation;
  throw ::poplar::graph_memory_allocation_error(
      "out of memory: " + reports::counted(allocation.overflowTiles, "tile overflows", "tiles overflow") + ", tile " +
          std::to_string(allocation.maxTile) + " needs " + std::to_string(allocation.maxTileBytes) + " of " +
          std::to_string(m_workload.graph->machine().tile.memory.value()) + " bytes",
      profile);
}

namespace {
::poplar::Graph graphOf(const StoredProgram& stored) {
  auto inside =
      std::make_shared<::poplar::Graph::Inside>(::poplar::Graph::Inside{stored.graph->getTopLevelGraph(), {}, stored.shared});
  inside->target = ::poplar::core::TargetAccess::made(stored.graph->machine(), stored.targetType, stored.architecture);
  return ::poplar::core::GraphAccess::made(std::move(inside));
}
std::vector<::poplar::program::Program> programsOf(const StoredProgram& stored) {
  std::vector<::poplar::program::Program> programs;
  for (const graph::Program& p : stored.programs) programs.push_back(outer(p));
  return programs;
}
::poplar::OptionFlags optionsOf(const StoredProgram& stored) {
  ::poplar::OptionFlags options;
  for (const auto& [name, value] : stored.options) options.set(name, value);
  return options;
}
} // namespace

Compiled::Compiled(const StoredProgram& stored)
    : Compiled(graphOf(stored), programsOf(stored), optionsOf(stored), nullptr, stored.name) {}

StoredProgram Compiled::stored() const {
  StoredProgram stored{m_workload.name, m_target.getTargetType(), m_target.getTargetArchString(), m_given, m_workload.graph, {},
                       m_shared};
  for (const auto& p : m_workload.programs) stored.programs.push_back(p.program);
  return stored;
}

Compiled::~Compiled() {
  live().erase(this);
  writeReports();
}

Rows Compiled::rows() {
  return [this](reports::ReportSink& sink) { m_reported->writeTo(sink, m_log); };
}

void Compiled::addReports(const std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (std::find(m_reports.begin(), m_reports.end(), file) == m_reports.end()) m_reports.push_back(file);
}

void Compiled::writeReports() {
  const auto files = std::move(m_reports);
  m_reports.clear();
  for (const std::string& file : files) {
    try {
      run::writeAskedFor(file, [&](const std::string& report) { reportServices().write(report, rows()); });
    } catch (const std::exception& error) { // the program's own end must not fail because of a report
      std::cerr << "tilescope: the report is not written: " << error.what() << '\n';
    }
  }
}

} // namespace simcore::poplar

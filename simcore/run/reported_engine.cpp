#include "simcore/run/reported_engine.h"

#include "simcore/arch/data_sheet.h"

#include "reports/core/json.h"
#include "reports/core/text.h"
#include "simcore/graph/codelet_notes.h"
#include "simcore/run/host_call.h"

#include <nlohmann/json.hpp>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

namespace simcore::run {

using namespace reports;

namespace {

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Facts for the report about a program that was planned again.
std::map<std::string, std::string> factsOf(const FittedProgram& program) {
  if (program.plans == 1) return {};
  nlohmann::ordered_json shares = nlohmann::ordered_json::object();
  for (const auto& [operation, share] : program.shares) shares[operation] = std::round(share * 1e4) / 1e4;
  return {{"plans", std::to_string(program.plans)}, {"available_memory_of_operations", reports::jsonText(shares)}};
}

void writeMetadata(const Workload& workload, const SimulateOptions& options, const FittedProgram& program, ReportSink& sink) {
  const bool fits = program.executable.allocation.fits();
  std::map<std::string, std::string> facts = options.metadata;
  facts.merge(factsOf(program));
  for (const auto& [name, value] : workload.parameters) facts["parameter." + name] = value;
  facts["title"] = workload.title.empty() ? workload.name : workload.title;
  facts["workload"] = workload.name;
  for (const arch::Peak& peak : arch::peaksOf(workload.graph->machine()))
    facts[std::string("machine.") + peak.key] = std::to_string(int64_t(peak.perSecond));
  facts["provenance"] = "simulated";
  facts["state"] = fits ? "fits" : "out_of_memory";
  facts["seed"] = std::to_string(options.seed);
  facts["has_numbers"] = options.engine.numbers && fits ? "1" : "0";
  facts["created_utc"] = utcNow();
  for (const auto& [key, value] : facts) {
    MetadataRow row;
    row.key = key;
    row.value = value;
    sink.add(row);
  }
}

void writeOverflow(const compile::Executable& e, ReportSink& sink) {
  if (e.allocation.fits()) return;
  // The tile with the highest address, as in the report's verdict.
  const auto extentOf = [&](uint32_t layout) { return e.allocation.layouts[layout].extentBytes; };
  const auto& layoutOf = e.allocation.layoutOfTile;
  const auto fullest =
      std::max_element(layoutOf.begin(), layoutOf.end(), [&](uint32_t a, uint32_t b) { return extentOf(a) < extentOf(b); });
  ReportIssueRow row;
  row.severity = "error";
  row.place = "tile " + std::to_string(fullest - layoutOf.begin());
  const int64_t tiles = int64_t(e.allocation.overflowTiles);
  row.message = "out of memory: " + counted(tiles, "tile overflows", "tiles overflow") + "; this one needs " +
                std::to_string(extentOf(*fullest)) + " of " + std::to_string(e.graph->machine().tile.memory.value()) +
                " bytes, gaps included";
  row.advice = "use fp16, recomputation or a smaller batch, look at the variables of this tile, or use more IPUs";
  row.count = e.allocation.overflowTiles;
  sink.add(row);
}

// The sources of a vertex's cycles. estimated: the user's program gives an estimate. counted: the vertex's compiled code counts
// them while it runs.
struct KnownCycles {
  bool estimated = false, counted = false;
};

// By codelet: the number of vertices whose sources satisfy `isMeant`.
std::map<std::string, int64_t> verticesByCodelet(const graph::Graph& graph, const std::function<bool(KnownCycles)>& isMeant) {
  std::map<std::string, int64_t> vertices;
  for (const auto& set : graph.computeSets())
    for (const auto& v : set.vertices) {
      const graph::Codelet& codelet = graph.codeletOf(v);
      if (isMeant({v.cycles >= 0 || codelet.cycles, codelet.native && codelet.native->counted})) ++vertices[codelet.name];
    }
  return vertices;
}

// Codelets without known cycles; they count as 0 cycles.
std::map<std::string, int64_t> codeletsWithoutCycles(const graph::Graph& graph) {
  return verticesByCodelet(graph, [](KnownCycles known) { return !known.estimated && !known.counted; });
}
std::map<std::string, int64_t> countedCodelets(const graph::Graph& graph, bool estimatesWin) {
  return verticesByCodelet(graph, [&](KnownCycles known) { return known.counted && !(known.estimated && estimatesWin); });
}

void writeCountedCycles(const graph::Graph& graph, bool estimatesWin, ReportSink& sink) {
  for (const auto& [codelet, count] : countedCodelets(graph, estimatesWin)) {
    ReportIssueRow row;
    row.severity = "notice";
    row.place = "codelet " + codelet;
    row.message = "the cycles of " + counted(count, "vertex", "vertices") + " of this codelet are estimated from code";
    std::string unpriced;
    for (const graph::Codelet& c : graph.codelets())
      if (c.name == codelet)
        for (const std::string& name : graph::notesOf(c).unpriced) unpriced += (unpriced.empty() ? "" : ", ") + name;
    if (!unpriced.empty()) {
      row.severity = "warning";
      row.message += ", which has parts without a known price: " + unpriced;
      row.advice = "these cycles are a guess: set an estimate of your own on an IPU model, or use functions with a known price";
    }
    row.count = count;
    sink.add(row);
  }
}

constexpr const char* kGiveCycles = "give the codelet a function `cycles`, or each vertex an estimate with setPerfEstimate";

void requireCycles(const graph::Graph& graph) {
  const auto unknown = codeletsWithoutCycles(graph);
  if (unknown.empty()) return;
  throw Error(ErrorCode::InvalidInput,
              "no cycles are known for " + counted(unknown.begin()->second, "vertex", "vertices") + " of this codelet" +
                  (unknown.size() > 1 ? " and of " + counted(int64_t(unknown.size()) - 1, "other codelet") : ""),
              "codelet " + unknown.begin()->first, kGiveCycles);
}

void writeUnknownCycles(const graph::Graph& graph, ReportSink& sink) {
  for (const auto& [codelet, count] : codeletsWithoutCycles(graph)) {
    ReportIssueRow row;
    row.severity = "warning";
    row.place = "codelet " + codelet;
    row.message =
        "no cycles are known for this codelet: " + reports::counted(count, "vertex", "vertices") + " of it count as 0 cycles";
    row.advice = kGiveCycles;
    row.count = count;
    sink.add(row);
  }
}

// Reports members with an initialiser in their class that the program does not set. They are 0, because no constructor runs.
void writeIgnoredInitialisers(const graph::Graph& graph, ReportSink& sink) {
  std::map<std::pair<std::string, std::string>, int64_t> vertices; // by codelet and member
  for (const auto& set : graph.computeSets())
    for (const auto& v : set.vertices) {
      const graph::Codelet& codelet = graph.codeletOf(v);
      for (const std::string& member : graph::notesOf(codelet).withInitialisers) {
        const auto sets = [&](const graph::StateValue& value) { return codelet.native->state.at(value.field).name == member; };
        if (std::none_of(v.state.begin(), v.state.end(), sets)) ++vertices[{codelet.name, member}];
      }
    }
  for (const auto& [member, count] : vertices) {
    ReportIssueRow row;
    row.severity = "warning";
    row.place = "codelet " + member.first;
    row.message = "the initialiser of '" + member.second +
                  "' has no effect, because no constructor of a vertex runs: it is 0 in " + counted(count, "vertex", "vertices");
    row.advice = "set it with setInitialValue, or make it a static constexpr member";
    row.count = count;
    sink.add(row);
  }
}

void writeWrittenInputs(const VertexRunner::WrittenInputs& written, ReportSink& sink) {
  for (const auto& [field, times] : written) {
    ReportIssueRow row;
    row.severity = "warning";
    row.place = "codelet " + field.first;
    row.message = writesAnInput(field.first, field.second);
    row.advice = "let the field be an InOut";
    row.count = times;
    sink.add(row);
  }
}

void writeBeside(const Engine& engine, ReportSink& sink) {
  const auto write = [&](const VertexRunner::FieldsBeside& fields,
                         std::string (*sentence)(const std::string&, const std::string&)) {
    for (const auto& [codelet, field] : fields) {
      ReportIssueRow row;
      row.severity = "warning";
      row.place = "codelet " + codelet;
      row.message = sentence(codelet, field);
      row.advice = "look at the bounds of its loops, and at how the field is connected; with tilescope.readsBeside=false the "
                   "first such access stops the program and names the element";
      row.count = 1;
      sink.add(row);
    }
  };
  write(engine.readsBeside(), readsBeside);
  write(engine.writesBeside(), writesBeside);
}

// Number of IPUs without a vertex.
int idleIpus(const graph::Graph& graph) {
  const arch::Machine& machine = graph.machine();
  std::vector<bool> works(std::size_t(machine.ipus), false);
  for (const auto& set : graph.computeSets()) {
    for (const auto& run : set.runs)
      for (int64_t i = run.tiles.begin / machine.tilesPerIpu; i * machine.tilesPerIpu < run.tiles.end; ++i)
        works.at(std::size_t(i)) = true;
    for (const auto& vertex : set.vertices) works[std::size_t(machine.ipuOf(vertex.tile))] = true;
  }
  return int(std::count(works.begin(), works.end(), false));
}

void writeIdleIpus(int idle, const arch::Machine& machine, ReportSink& sink) {
  if (idle == 0 || idle == machine.ipus) return; // a graph that only moves data is not reported
  ReportIssueRow row;
  row.severity = "notice";
  row.place = machine.name;
  row.message = counted(idle, "IPU") + " of " + std::to_string(machine.ipus) +
                (idle == 1 ? " computes nothing" : " compute nothing") + "; shares of the peak are of all IPUs";
  row.advice = "use " + counted(machine.ipus - idle, "IPU") + ", or cut the work over all of them";
  row.count = idle;
  sink.add(row);
}

void writeOptions(const SimulateOptions& options, const Workload& workload, ReportSink& sink) {
  for (const auto& [key, value] : options.engineOptions.all()) {
    EngineOptionRow row;
    row.key = key;
    row.value = key != kHostCalls ? value : callsHost(workload, options.engineOptions) ? "true" : "false";
    row.isDefault = !options.engineOptions.isSet(key);
    sink.add(row);
  }
  for (const std::string& name : options.engineOptions.unknown()) {
    ReportIssueRow row;
    row.severity = "notice";
    row.place = name;
    row.message = "engine option has no effect here";
    row.count = 1;
    sink.add(row);
  }
}

EngineOptions withOptionsOf(EngineOptions engine, const SimulateOptions& options, const Workload& workload) {
  const EngineOptionSet& set = options.engineOptions;
  engine.prefetch = set.flag("exchange.enablePrefetch");
  engine.checkReads = set.flag("debug.runtimeVerify");
  engine.seed = uint64_t(options.seed);
  engine.maxIterations = set.integer("tilescope.maxLoopRounds");
  engine.vertices.estimatesWin = set.flag("tilescope.estimatesWin");
  engine.vertices.zerosBeside = set.flag("tilescope.readsBeside");
  engine.vertices.maxInstructions = set.integer("tilescope.maxVertexInstructions");
  if (callsHost(workload, set)) engine.hostCallCycles = hostCallCycles(workload.graph->machine());
  if (set.isSet("target.hostSyncTimeout")) engine.hostSyncTimeout = set.integer("target.hostSyncTimeout");
  auto& fp = engine.floatingPoint;
  fp.esr = set.flag("prng.enableStochasticRounding");
  fp.nanoo = set.flag("debug.nanOverflowMode");
  fp.inv = fp.div0 = fp.oflo = set.flag("debug.floatPointOpException");
  return engine;
}

// Whether random numbers drawn by replicas affect a mean over replicas.
bool replicasDiffer(const Executable& executable) {
  bool draws = false, meets = false;
  for (const auto& step : executable.program.steps) {
    if (!step.action) continue;
    draws |= step.action->kernel.target<graph::LastingKernel>() != nullptr;
    meets |= step.action->kernel.target<graph::AcrossReplicas>() != nullptr;
  }
  return draws && meets;
}

FittedProgram compiled(const Workload& workload, const SimulateOptions& options, HostTimeline& timeline,
                       const std::stop_token& stop, Progress& progress) {
  const auto span = timeline.span("compile", "compile");
  if (!options.engineOptions.flag("tilescope.allowUnknownCycles")) requireCycles(*workload.graph);
  compile::CompileOptions compileOptions;
  compileOptions.instrument = options.engineOptions.flag("debug.instrument");
  compileOptions.strictPlaces = options.strictPlaces;
  compileOptions.blocks = blockBufferOf(options.engineOptions, workload.graph->machine());
  FittedProgram program = compileToFit(workload, options.replanning, [&](const Workload& planned) {
    return compile::compile(
        planned.graph, planned.programs, stop, progress, [&](const char* phase) { return timeline.span(phase, "compile"); },
        compileOptions);
  });
  const compile::Executable& executable = program.executable;
  if (!executable.allocation.fits() && !options.engineOptions.flag("debug.allowOutOfMemory"))
    throw Error(ErrorCode::OutOfMemory, counted(executable.allocation.overflowTiles, "tile is", "tiles are") + " out of memory",
                "tile " + std::to_string(executable.allocation.maxTile), "set debug.allowOutOfMemory to get a report anyway");
  return program;
}

// Writes the rows that are known before a run.
void writeStaticRows(const Workload& workload, const SimulateOptions& options, const FittedProgram& program, int idle,
                     StringPool& strings, ReportSink& sink) {
  const compile::Executable& executable = program.executable;
  const arch::Machine& machine = workload.graph->machine();
  compile::writeMachine(machine, sink);
  writeMetadata(workload, options, program, sink);
  writeOptions(options, workload, sink);
  writeOverflow(executable, sink);
  writeUnknownCycles(*executable.graph, sink);
  writeCountedCycles(*executable.graph, options.engineOptions.flag("tilescope.estimatesWin"), sink);
  writeIgnoredInitialisers(*executable.graph, sink);
  writeIdleIpus(idle, machine, sink);
  compile::writeExecutable(executable, strings, sink);
}

constexpr long long kMostThreads = 256; // limit, because the library reserves memory for each thread at once

} // namespace

struct ReportedEngine::ThreadLimit : tbb::global_control {
  using global_control::global_control;
};

ReportedEngine::ReportedEngine(const Workload& workload, const SimulateOptions& options, ReportSink& sink, HostTimeline& timeline,
                               std::stop_token stop, Progress& progress)
    : m_sink(sink), m_timeline(timeline), m_strings(sink), m_given(workload), m_options(options) {
  if (const long long n = options.engineOptions.integer("opt.maxCompilationThreads"); n > 0)
    m_threads =
        std::make_unique<ThreadLimit>(tbb::global_control::max_allowed_parallelism, std::size_t(std::min(n, kMostThreads)));
  m_program = compiled(workload, options, timeline, stop, progress);
  m_idleIpus = run::idleIpus(*this->workload().graph);
  if (!options.rowsWhenAsked) {
    const auto span = timeline.span("write static rows", "report");
    progress.phase("writing");
    writeRows(sink);
  }
  m_recorder = std::make_unique<ExecutionRecorder>(executable(), m_strings, sink, options.engine.maxSlices,
                                                   blockFilterOf(options.engineOptions));
  restart();
}

ReportedEngine::~ReportedEngine() = default;

void ReportedEngine::writeRows(ReportSink& sink) {
  writeStaticRows(workload(), m_options, m_program, m_idleIpus, m_strings, sink);
}

void ReportedEngine::restart() {
  EngineOptions engineOptions = withOptionsOf(m_options.engine, m_options, m_given);
  engineOptions.numbers &= fits();
  if (!m_given.graph->vertexByVertex() && (m_given.dataOfReplicas || replicasDiffer(executable()))) {
    engineOptions.replicas = std::max(1, m_given.graph->machine().replicas);
    engineOptions.sameInputs = !m_given.dataOfReplicas;
  }
  const auto span = m_timeline.span("load", "engine");
  m_engine = std::make_unique<Engine>(executable(), engineOptions, m_recorder.get(), &m_timeline);
}

void ReportedEngine::finish() {
  {
    const auto span = m_timeline.span("write execution rows", "report");
    m_recorder->finish();
    writeWrittenInputs(m_engine->writtenInputs(), m_sink);
    writeBeside(*m_engine, m_sink);
  }
  m_timeline.writeTo(
      m_sink, [this](const std::string& s) { return m_strings.id(s); }, m_recorder->tracks());
}

// The rows in `rest` may add names to the log. So the log is written after the rows that do not depend on it, and before `rest`.
void ReportedEngine::writeTo(ReportSink& report, const RowLog& log) {
  writeRows(report);
  writeWrittenInputs(m_engine->writtenInputs(), report);
  writeBeside(*m_engine, report);
  RowLog rest;
  m_recorder->writeSoFar(rest);
  m_timeline.writeTo(
      rest, [this](const std::string& s) { return m_strings.id(s); }, m_recorder->tracks());
  log.replayTo(report);
  rest.replayTo(report);
}

} // namespace simcore::run

#include "simcore/run/simulate.h"

#include "reports/core/text.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <ctime>

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

void writeMetadata(const Workload& workload, const SimulateOptions& options, bool fits, ReportSink& sink) {
  std::map<std::string, std::string> facts = options.metadata;
  for (const auto& [name, value] : workload.parameters) facts["parameter." + name] = value;
  facts["title"] = workload.title.empty() ? workload.name : workload.title;
  facts["workload"] = workload.name;
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
  const auto& layout = e.allocation.layouts[e.allocation.layoutOfTile[std::size_t(e.allocation.maxTile)]];
  const compile::Placement* largest = nullptr;
  for (const auto& p : layout.placements)
    if (!largest || p.size > largest->size) largest = &p;
  ReportIssueRow row;
  row.severity = "error";
  row.place = "tile " + std::to_string(e.allocation.maxTile);
  const int64_t tiles = int64_t(e.allocation.overflowTiles);
  row.message = "out of memory: " + counted(tiles, "tile overflows", "tiles overflow") + "; this one needs " +
                std::to_string(layout.totalBytes) + " of " + std::to_string(e.graph->machine().tile.memory.value()) + " bytes" +
                (largest ? ", most of it for " + e.storage[largest->storage].name : std::string());
  row.advice = "use more IPUs, a smaller batch, fp16, or look at the variables of this tile";
  row.count = e.allocation.overflowTiles;
  sink.add(row);
}

// IPUs on whose tiles no vertex runs.
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
  if (idle == 0 || idle == machine.ipus) return; // a graph that only moves data is no fault
  ReportIssueRow row;
  row.severity = "notice";
  row.place = machine.name;
  row.message = counted(idle, "IPU") + " of " + std::to_string(machine.ipus) +
                (idle == 1 ? " computes nothing" : " compute nothing") + "; shares of the peak count all";
  row.advice = "use --ipus " + std::to_string(machine.ipus - idle) + ", or cut the work over all of them";
  row.count = idle;
  sink.add(row);
}

void writeOptions(const SimulateOptions& options, ReportSink& sink) {
  for (const auto& [key, value] : options.engineOptions.all()) {
    EngineOptionRow row;
    row.key = key;
    row.value = value;
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

} // namespace

namespace {
EngineOptions withOptionsOf(EngineOptions engine, const SimulateOptions& options) {
  const EngineOptionSet& set = options.engineOptions;
  engine.prefetch = set.flag("exchange.enablePrefetch");
  engine.checkReads = set.flag("debug.runtimeVerify");
  engine.seed = uint64_t(options.seed);
  auto& fp = engine.floatingPoint;
  fp.esr = set.flag("prng.enableStochasticRounding");
  fp.nanoo = set.flag("debug.nanOverflowMode");
  fp.inv = fp.div0 = fp.oflo = set.flag("debug.floatPointOpException");
  return engine;
}
} // namespace

namespace {
// What a buffer holds before the first run goes over its rows; the last one may be longer than what is left.
void fillRemoteBuffers(const Workload& workload, Engine& engine) {
  for (const auto& buffer : workload.graph->remoteBuffers()) {
    const auto contents = workload.remoteContents.find(buffer.handle);
    if (contents == workload.remoteContents.end()) continue;
    const auto whole = contents->second.cast(buffer.type);
    for (int64_t r = 0; r < buffer.repeats; ++r) {
      numerics::HostTensor row(buffer.type, {buffer.elements});
      const std::size_t begin = std::min(whole.byteCount(), std::size_t(r) * row.byteCount());
      const std::size_t bytes = std::min(row.byteCount(), whole.byteCount() - begin);
      std::copy_n(whole.raw().begin() + std::ptrdiff_t(begin), bytes, row.mutableRaw().begin());
      engine.copyToRemoteBuffer(row.raw().data(), buffer.handle, r);
    }
  }
}

numerics::HostTensor readRemote(const Engine& engine, const graph::RemoteBuffer& buffer, const numerics::Shape& shape) {
  auto whole = numerics::HostTensor::uninitialised(buffer.type, shape);
  numerics::HostTensor row(buffer.type, {buffer.elements});
  for (int64_t r = 0; r < buffer.repeats; ++r) {
    engine.copyFromRemoteBuffer(buffer.handle, row.mutableRaw().data(), r);
    const std::size_t begin = std::min(whole.byteCount(), std::size_t(r) * row.byteCount());
    std::copy_n(row.raw().begin(), std::min(row.byteCount(), whole.byteCount() - begin),
                whole.mutableRaw().begin() + std::ptrdiff_t(begin));
  }
  return whole;
}

void readVariables(const Workload& workload, Engine& engine, bool withState,
                   std::map<std::string, numerics::HostTensor>& variables) {
  for (const auto& [name, tensor] : workload.variables) variables[name] = engine.readTensor(tensor);
  if (withState)
    for (const auto& [name, tensor] : workload.state) variables[name] = engine.readTensor(tensor);
  for (const auto& buffer : workload.graph->remoteBuffers())
    for (const auto& [name, shape] : workload.remoteVariables)
      if (buffer.handle == "remote/" + name) variables[name] = readRemote(engine, buffer, shape);
}

compile::Executable compiled(const Workload& workload, const SimulateOptions& options, HostTimeline& timeline,
                             const std::stop_token& stop, Progress& progress) {
  const auto span = timeline.span("compile", "compile");
  compile::CompileOptions compileOptions;
  compileOptions.instrument = options.engineOptions.flag("debug.instrument");
  auto executable = compile::compile(
      workload.graph, workload.programs, stop, progress, [&](const char* phase) { return timeline.span(phase, "compile"); },
      compileOptions);
  if (!executable.allocation.fits() && !options.engineOptions.flag("debug.allowOutOfMemory"))
    throw Error(ErrorCode::OutOfMemory, counted(executable.allocation.overflowTiles, "tile is", "tiles are") + " out of memory",
                "tile " + std::to_string(executable.allocation.maxTile),
                "set debug.allowOutOfMemory to get a report all the same");
  return executable;
}

// What is known before anything runs.
void writeStaticRows(const Workload& workload, const SimulateOptions& options, const compile::Executable& executable,
                     const SimulateResult& result, StringPool& strings, ReportSink& sink) {
  const arch::Machine& machine = workload.graph->machine();
  compile::writeMachine(machine, sink);
  writeMetadata(workload, options, result.fits, sink);
  writeOptions(options, sink);
  writeOverflow(executable, sink);
  writeIdleIpus(result.idleIpus, machine, sink);
  compile::writeExecutable(executable, strings, sink);
}

// The share of the progress that one of several runs has.
class OneOfRuns final : public Progress {
public:
  OneOfRuns(Progress& whole, int64_t runs) : m_whole(whole), m_runs(double(runs)) {}
  void phase(std::string_view) override {} // they are one phase
  void update(double fraction) override { m_whole.update((m_done + fraction) / m_runs); }
  void next() { ++m_done; }

private:
  Progress& m_whole;
  double m_runs, m_done = 0;
};

// Everything that a run is, from the first program of `before` to the values that are read at the end.
void runPrograms(const Workload& workload, const SimulateOptions& options, Engine& engine, HostTimeline& timeline,
                 const std::stop_token& stop, Progress& progress, SimulateResult& result) {
  const int64_t iterations = std::max<int64_t>(1, options.iterations);
  progress.phase("running");
  OneOfRuns share(progress, iterations + int64_t(workload.before.size() + workload.after.size()));
  const auto run = [&](std::size_t program, const std::string& name, const std::string& span) {
    const auto measured = timeline.span(span, "engine");
    engine.run(program, name, stop, share);
    share.next();
  };
  // A run forgets what the one before it delivered; of each stream the last values that came are kept.
  const auto keep = [&] {
    for (const std::string& stream : workload.outputs)
      if (const auto& values = engine.received(stream); !values.empty()) result.outputs[stream] = values;
  };
  const auto once = [&](const std::vector<std::size_t>& programs) {
    for (const std::size_t p : programs) {
      run(p, workload.programs.at(p).name, "Engine::run " + workload.programs.at(p).name);
      keep();
    }
  };
  for (const std::string& stream : workload.outputs) result.outputs[stream];
  once(workload.before);
  for (int64_t i = 0; i < iterations; ++i) {
    const std::string number = "#" + std::to_string(i);
    run(0, workload.programs[0].name + " " + number, "Engine::run " + number);
    for (const std::string& stream : workload.outputs)
      for (const auto& value : engine.received(stream))
        if (value.count() == 1) result.history[stream].push_back(value.at(0));
  }
  keep();
  once(workload.after);
  result.cycles = engine.cycle();
  result.seconds = double(engine.cycle()) / workload.graph->machine().clockHz;
}
} // namespace

SimulateResult simulate(const Workload& workload, const SimulateOptions& options, ReportSink& sink, HostTimeline& timeline,
                        std::stop_token stop, Progress& progress) {
  std::unique_ptr<tbb::global_control> threads;
  if (const long long n = options.engineOptions.integer("opt.maxCompilationThreads"); n > 0)
    threads = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, std::size_t(n));
  const compile::Executable executable = compiled(workload, options, timeline, stop, progress);
  SimulateResult result;
  result.fits = executable.allocation.fits();
  result.idleIpus = idleIpus(*workload.graph);
  StringPool strings(sink);
  {
    const auto span = timeline.span("write static rows", "report");
    progress.phase("writing");
    writeStaticRows(workload, options, executable, result, strings, sink);
  }
  ExecutionRecorder recorder(executable, strings, sink, options.engine.maxSlices);
  {
    EngineOptions engineOptions = withOptionsOf(options.engine, options);
    engineOptions.numbers &= result.fits;
    if (workload.dataOfReplicas && !workload.graph->vertexByVertex())
      engineOptions.replicas = std::max(1, workload.graph->machine().replicas);
    auto load = timeline.span("load", "engine");
    Engine engine(executable, engineOptions, &recorder, &timeline);
    for (const auto& [stream, values] : workload.inputs) engine.connectInput(stream, values);
    if (engineOptions.numbers) fillRemoteBuffers(workload, engine);
    load.reset();
    runPrograms(workload, options, engine, timeline, stop, progress, result);
    if (engineOptions.numbers) readVariables(workload, engine, options.readState, result.variables);
  }
  {
    const auto span = timeline.span("write execution rows", "report");
    recorder.finish();
  }
  timeline.writeTo(
      sink, [&](const std::string& s) { return strings.id(s); }, recorder.tracks());
  return result;
}

} // namespace simcore::run

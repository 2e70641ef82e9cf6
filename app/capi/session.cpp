#include "app/capi/session.h"

#include "app/cli/onnx_model.h"
#include "app/cli/output_files.h"
#include "reports/core/text.h"
#include "reports/core/within.h"
#include "reports/sqlite/writer.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/prepare/prepare.h"
#include "simcore/prepare/torch_export.h"
#include "simcore/run/auto_reports.h"
#include "simcore/run/lasting_values.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace app::capi {

using reports::Error;
using reports::ErrorCode;
using simcore::model::kLearningRate;

// A compiled program with the values that are on the machine.
struct Session::Program {
  explicit Program(const std::string& name) : timeline(name) {}

  cli::LoadedModel loaded;
  simcore::run::SimulateOptions options;
  std::vector<std::string> reports; // reports that must still be written
  int64_t profiledRuns = 0, runs = 0, runCycles = -1;
  reports::RowLog log;
  simcore::run::HostTimeline timeline;
  reports::NoProgress quiet;
  std::unique_ptr<simcore::run::ReportedEngine> reported;
  std::map<std::string, std::string> streams; // by output: its stream, if an input has the output's name

  simcore::run::Engine& engine() { return reported->engine(); }
  const simcore::graph::Workload& workload() const { return reported->workload(); }
  void write(const std::string& file) {
    reports::Writer writer(file);
    reported->writeTo(writer, log);
    writer.commit();
  }
};

namespace {

HostTensor tensorOf(const Port& port, const std::byte* data) {
  auto value = HostTensor::uninitialised(port.type, port.shape);
  if (const auto to = value.mutableRaw(); !to.empty()) std::memcpy(to.data(), data, to.size());
  return value;
}

void requireSize(const Port& port, std::size_t bytes, int64_t wanted) {
  if (int64_t(bytes) != wanted)
    throw Error(ErrorCode::InvalidInput,
                "the buffer has " + std::to_string(bytes) + " bytes instead of " + std::to_string(wanted) + ": " +
                    reports::counted(port.transfers, "value") + " of " + simcore::numerics::elementTypeName(port.type) + " " +
                    simcore::numerics::toString(port.shape),
                port.name);
}

const Port& portCalled(const std::vector<Port>& ports, const std::string& name, const char* what) {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.name == name; });
  if (found == ports.end()) throw Error(ErrorCode::NotFound, std::string("no ") + what + " has this name", name);
  return *found;
}

void copyTo(std::byte* to, const HostTensor& value, const Port& port) {
  const HostTensor converted = value.cast(port.type);
  if (int64_t(converted.byteCount()) != port.bytes()) // the buffer has exactly port.bytes()
    throw Error(ErrorCode::Internal,
                "the value has the shape " + simcore::numerics::toString(converted.shape()) + ", not " +
                    simcore::numerics::toString(port.shape),
                port.name);
  if (converted.byteCount() > 0) std::memcpy(to, converted.raw().data(), converted.byteCount());
}

// How often an output is transferred in one run.
int64_t transfersOf(const cli::WorkloadRequest& request, bool trains) {
  using simcore::model::Anchor;
  const auto& p = request.parallel;
  const int64_t replicas = std::max(1, request.replicas);
  if (!trains) return (p.stages > 0 ? p.microBatchesOfStep() : p.batchesPerStep) * replicas;
  if (request.anchor == Anchor::All) return p.microBatchesOfStep() * replicas;
  return (request.anchor == Anchor::EveryN ? p.batchesPerStep / request.everyN : 1) * replicas;
}

// The variable of the learning rate that the option sets; empty if the option sets something else.
std::string rateOf(const std::string& option, const std::string& value) {
  if (option == "learning-rate") return kLearningRate;
  if (option != "group" || value.empty()) return {};
  const GroupWord word = groupWord(value);
  return word.key == "learning-rate" ? simcore::model::groupRate(word.number) : std::string();
}

} // namespace

int64_t Port::bytes() const { return simcore::numerics::elementCount(shape) * int64_t(simcore::numerics::hostSize(type)); }

Session::Session(simcore::model::Model read) : m_read(std::move(read)) {}

Session::~Session() {
  try {
    writeAskedReports();
  } catch (const std::exception& error) { // a destructor must not throw, and the program continues
    std::cerr << "tilescope: the report is not written: " << error.what() << '\n';
  }
}

void Session::set(const std::string& option, const std::string& value) {
  m_valuePorts.clear();
  m_options.set(option, value);
  if (!m_program) return;
  const std::string rate = rateOf(option, value);
  if (rate.empty() || !m_program->workload().state.count(rate)) {
    m_isStale = true;
    return;
  }
  const cli::WorkloadRequest& request = m_options.read().request;
  const auto& values =
      rate == kLearningRate ? request.onnx.optimiser : request.training.groups.at(groupWord(value).number).optimiser;
  writeLastingValue(m_program->workload(), m_program->engine(), rate,
                    HostTensor::full(ElementType::Float, {}, values.learningRate));
}

void Session::requireCompiled() {
  if (!m_program || m_isStale) compile();
}

void Session::compile() {
  if (m_program) {
    keepValues();
    writeAskedReports();
  }
  m_program.reset();
  m_isStale = false;
  build();
  if (m_program->reported->fits()) return;
  writeAskedReports();
  const auto& executable = m_program->reported->executable();
  const auto& allocation = executable.allocation;
  throw Error(ErrorCode::OutOfMemory,
              "out of memory: " + reports::counted(allocation.overflowTiles, "tile overflows", "tiles overflow") + ", tile " +
                  std::to_string(allocation.maxTile) + " needs " + std::to_string(allocation.maxTileBytes) + " of " +
                  std::to_string(executable.graph->machine().tile.memory.value()) + " bytes",
              m_read.file, "use fp16, recomputation, a smaller batch or more IPUs");
}

void Session::build() {
  const ReadOptions options = m_options.read();
  simcore::model::Model model = m_read;
  for (const auto& [name, value] : m_values)
    if (const auto old = model.graph.initialisers.find(name); old != model.graph.initialisers.end()) old->second = value;
  auto program = std::make_unique<Program>(simcore::model::modelName(m_read.file));
  program->loaded = cli::loadModel(std::move(model), m_read.file, options.request, {}, program->quiet);
  program->loaded.workload.inputs.clear();
  program->loaded.workload.dataOfReplicas = options.request.replicas > 1;
  program->options.engine.maxSlices = 1'000'000;
  program->options.rowsWhenAsked = true;
  program->options.seed = options.request.seed;
  program->options.engineOptions = options.engine;
  program->options.metadata = simcore::run::metadataOfRun();
  program->options.metadata.merge(std::map<std::string, std::string>{
      {"tool", "libtilescope"}, {"tool_version", TILESCOPE_VERSION}, {"precision", options.precision}});
  if (const int replicas = program->loaded.workload.graph->machine().replicas; replicas > 1)
    program->options.metadata["replicas"] = std::to_string(replicas);
  program->options.metadata.insert(program->loaded.workload.facts.begin(), program->loaded.workload.facts.end());
  program->reports = options.reports;
  program->profiledRuns = options.profiledRuns;
  program->reported = std::make_unique<simcore::run::ReportedEngine>(program->loaded.workload, program->options, program->log,
                                                                     program->timeline, std::stop_token(), program->quiet);
  m_program = std::move(program);
  describe(m_program->loaded, options.request);
  noteFacts();
  if (!m_program->reported->fits()) return;
  const auto& workload = m_program->workload();
  fillRemoteBuffers(workload, m_program->engine());
  for (const auto& [name, tensor] : workload.state)
    if (const auto kept = m_values.find(name); kept != m_values.end() && kept->second.shape() == tensor.shape())
      m_program->engine().writeTensor(tensor, kept->second);
}

void Session::describe(const cli::LoadedModel& loaded, const cli::WorkloadRequest& request) {
  const auto& workload = m_program->workload();
  const int64_t perRun = request.parallel.microBatchesOfStep() * std::max(1, request.replicas);
  m_inputs.clear(), m_outputs.clear(), m_weights.clear();
  for (const auto& [name, type] : loaded.inputs) m_inputs.push_back({name, type.type, type.shape, perRun});
  const std::string again = " (output ";
  for (const std::string& stream : workload.outputs) {
    const auto matches = [&](const auto& output) { return output.first == stream || stream.starts_with(output.first + again); };
    const auto exact =
        std::find_if(loaded.outputs.begin(), loaded.outputs.end(), [&](const auto& o) { return o.first == stream; });
    const auto found =
        exact != loaded.outputs.end() ? exact : std::find_if(loaded.outputs.begin(), loaded.outputs.end(), matches);
    if (found == loaded.outputs.end()) continue;
    m_program->streams[found->first] = stream;
    m_outputs.push_back({found->first, found->second.type, found->second.shape, transfersOf(request, request.onnx.train)});
  }
  std::erase_if(m_given, [&](const auto& given) {
    const auto port = std::find_if(m_inputs.begin(), m_inputs.end(), [&](const Port& p) { return p.name == given.first; });
    return port == m_inputs.end() || int64_t(given.second.size()) != port->transfers;
  });
}

void Session::noteFacts() {
  m_notes.clear();
  for (const std::string& name : m_program->options.engineOptions.unknown())
    m_notes.push_back("engine option '" + name + "' has no effect here");
  for (const char* fact : {"train.parameters", "train.export", "train.statistics", "clamped"})
    if (const auto note = m_program->workload().facts.find(fact); note != m_program->workload().facts.end())
      m_notes.push_back(note->first + ": " + note->second);
  if (const int plans = m_program->reported->plans(); plans > 1)
    m_notes.push_back("tiles overflowed, so some operations were planned again with less available memory: " +
                      reports::counted(plans, "plan"));
}

const std::vector<Port>& Session::inputs() {
  requireCompiled();
  return m_inputs;
}

const std::vector<Port>& Session::outputs() {
  requireCompiled();
  return m_outputs;
}

const std::vector<Port>& Session::weights() {
  if (!m_weights.empty()) return m_weights;
  std::map<std::string, Port> ports;
  for (const auto& [name, value] : m_read.graph.initialisers)
    ports[name] = {name, value.type(), value.shape(), 1, WeightKind::Constant};
  if (m_program) {
    const auto& workload = m_program->workload();
    const auto mark = [&](const std::string& name, const Shape& shape) {
      Port& port = ports.emplace(name, Port{name, ElementType::Float, shape}).first->second;
      port.kind = m_program->loaded.trained.count(name) ? WeightKind::Parameter : WeightKind::Statistic;
    };
    for (const auto& [name, tensor] : workload.variables) mark(name, tensor.shape());
    for (const auto& [name, shape] : workload.remoteVariables) mark(name, shape);
    for (const auto& [name, tensor] : workload.state) {
      if (name.find("/accumulator") != std::string::npos) continue; // zero between runs
      ports[name] = {name, tensor.elementType(), tensor.shape(), 1, WeightKind::State};
    }
  }
  for (auto& [name, port] : ports) m_weights.push_back(std::move(port));
  return m_weights;
}

const Port& Session::value(const std::string& name) {
  if (m_valuePorts.empty()) {
    simcore::model::ModelRequest wanted;
    wanted.shapes = cli::shapesFrom(m_options.read().request.onnx.shapes);
    wanted.disabledPasses = {"all"};
    wanted.valuesChange = true;
    reports::NoProgress quiet;
    const auto model = resolveModel(m_read, wanted, {}, quiet).model;
    for (const auto& [known, type] : model.graph.types) m_valuePorts[known] = {known, type.type, type.shape};
  }
  const auto found = m_valuePorts.find(name);
  if (found == m_valuePorts.end()) throw Error(ErrorCode::NotFound, "the model has no value of this name", name);
  return found->second;
}

const Port& Session::weight(const std::string& name) { return portCalled(weights(), name, "weight"); }

void Session::writeInput(const std::string& name, const void* data, std::size_t bytes) {
  const Port& port = portCalled(inputs(), name, "input");
  requireSize(port, bytes, port.bytes() * port.transfers);
  std::vector<HostTensor> values;
  for (int64_t i = 0; i < port.transfers; ++i)
    values.push_back(tensorOf(port, static_cast<const std::byte*>(data) + i * port.bytes()));
  m_given[name] = std::move(values);
}

void Session::run() {
  requireCompiled();
  for (const Port& port : m_inputs) {
    const auto given = m_given.find(port.name);
    if (given == m_given.end()) throw Error(ErrorCode::InvalidInput, "this input has no value", port.name);
    m_program->engine().connectInput(port.name, given->second);
  }
  Program& program = *m_program;
  if (program.runs == program.profiledRuns) program.engine().disableExecutionProfiling();
  const int64_t before = program.engine().cycle();
  const auto& first = program.workload().programs.at(0);
  reports::within(m_read.file, [&] { program.engine().run(0, first.name + " #" + std::to_string(program.runs)); });
  program.runCycles = program.engine().cycle() - before;
  if (++program.runs == program.profiledRuns) writeAskedReports();
}

void Session::readOutput(const std::string& name, void* data, std::size_t bytes) {
  const Port& port = portCalled(outputs(), name, "output");
  requireSize(port, bytes, port.bytes() * port.transfers);
  const auto& values = m_program->engine().received(m_program->streams.at(name));
  if (int64_t(values.size()) != port.transfers)
    throw Error(ErrorCode::InvalidInput,
                values.empty() ? "nothing was run yet"
                               : "the last run delivered " + reports::counted(int64_t(values.size()), "value") + " instead of " +
                                     std::to_string(port.transfers),
                name);
  for (std::size_t i = 0; i < values.size(); ++i)
    copyTo(static_cast<std::byte*>(data) + int64_t(i) * port.bytes(), values[i], port);
}

HostTensor Session::valueOf(const std::string& name) {
  if (m_program && m_program->reported->fits()) {
    const auto& workload = m_program->workload();
    for (const auto* list : {&workload.variables, &workload.state})
      if (const auto it = list->find(name); it != list->end()) return m_program->engine().readTensor(it->second);
    if (workload.remoteVariables.count(name)) return lastingValues(workload, m_program->engine(), false).at(name);
  }
  if (const auto kept = m_values.find(name); kept != m_values.end()) return kept->second;
  return m_read.graph.initialisers.at(name);
}

void Session::readWeight(const std::string& name, void* data, std::size_t bytes) {
  const Port& port = weight(name);
  requireSize(port, bytes, port.bytes());
  copyTo(static_cast<std::byte*>(data), valueOf(name), port);
}

void Session::writeWeight(const std::string& name, const void* data, std::size_t bytes) {
  const Port& port = weight(name);
  requireSize(port, bytes, port.bytes());
  const HostTensor value = tensorOf(port, static_cast<const std::byte*>(data));
  if (m_program && m_program->reported->fits() && port.kind != WeightKind::Constant) {
    writeLastingValue(m_program->workload(), m_program->engine(), name, value);
    return;
  }
  const HostTensor old = valueOf(name);
  m_values[name] = value;
  if (m_program && !old.identicalTo(value)) m_isStale = true;
}

// Copies the values from the machine, in the types of the model.
void Session::keepValues() {
  if (!m_program->reported->fits()) return;
  for (const auto& [name, value] : lastingValues(m_program->workload(), m_program->engine(), true)) {
    if (name == kLearningRate || name.starts_with(std::string(kLearningRate) + "/") ||
        name.find("/accumulator") != std::string::npos)
      continue;
    const auto old = m_read.graph.initialisers.find(name);
    m_values[name] =
        old == m_read.graph.initialisers.end() ? value : value.reshaped(old->second.shape()).cast(old->second.type());
  }
}

void Session::saveModel(const std::string& file) {
  if (m_program) keepValues();
  simcore::model::Model model = m_read;
  simcore::model::separateEqualParameters(model); // as in training: equal parameters get separate values
  std::map<std::string, HostTensor> constants;
  for (const auto& [name, value] : m_values)
    if (model.graph.initialisers.count(name)) constants[name] = value;
  cli::writeWhole(file, [&](const std::filesystem::path& part) { simcore::model::writeOnnx(model, constants, part); });
}

int64_t Session::cycles() const { return m_program ? m_program->reported->engine().cycle() : -1; }
int64_t Session::runCycles() const { return m_program ? m_program->runCycles : -1; }
double Session::clock() const { return m_program ? m_program->workload().graph->machine().clockHz : -1; }

void Session::writeReport(const std::string& file) {
  if (!m_program) throw Error(ErrorCode::InvalidInput, "nothing was compiled yet", file);
  m_program->write(file);
}

void Session::writeAskedReports() {
  if (!m_program) return;
  const auto files = std::move(m_program->reports);
  m_program->reports.clear();
  for (const std::string& file : files)
    simcore::run::writeAskedFor(file, [&](const std::string& report) { m_program->write(report); });
}

} // namespace app::capi

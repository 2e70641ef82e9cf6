#include "poplar/Engine.hpp"

#include "pva/pva.hpp"
#include "reports/core/progress.h"
#include "simcore/native/unit.h"
#include "simcore/poplar/engine/compiled.h"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/inner.h"

#include <algorithm>
#include <iostream>
#include <mutex>
#include <optional>
#include <sstream>
#include <stop_token>
#include <utility>

namespace poplar {

using simcore::poplar::asPoplar;
using simcore::poplar::asPoplarOr;
using simcore::poplar::Compiled;
using simcore::poplar::reportServices;
namespace run = simcore::run;

struct Executable::Inside {
  std::shared_ptr<Compiled> compiled;
  bool hadEngine = false;
};

struct core::ExecutableAccess {
  static std::shared_ptr<Compiled> take(Executable& executable) {
    if (!executable.m_inside) throw poplar_error("an Executable was used after it had been moved");
    return std::move(executable.m_inside)->compiled;
  }
  // The compiled program for a new engine: the executable's own, restarted if an engine had it before, or a copy while another
  // engine uses it.
  static std::shared_ptr<Compiled> share(const Executable& executable) {
    if (!executable.m_inside)
      throw poplar_error("an Executable without a graph was used: it was declared without a value, or moved");
    auto& inside = *executable.m_inside;
    return asPoplar([&] {
      if (inside.compiled.use_count() > 1) return std::make_shared<Compiled>(inside.compiled->stored());
      if (std::exchange(inside.hadEngine, true)) inside.compiled->restart();
      return inside.compiled;
    });
  }
  static Executable made(std::shared_ptr<Compiled> compiled) {
    return Executable(std::make_shared<Executable::Inside>(Executable::Inside{std::move(compiled)}));
  }
};

Executable::Executable(std::shared_ptr<Inside> inside) : m_inside(std::move(inside)) {}
Executable::Executable() = default;
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;
Executable::~Executable() = default;

namespace {
void requireMade(const Executable::Inside* inside) {
  if (!inside) throw poplar_error("an Executable without a graph was used: it was declared without a value, or moved");
}
// An executable on disk: this line, the length of the rest, the hash of the rest, then the bytes of stored_graph.h.
constexpr char kMagic[] = "tilescope executable 1 (" TILESCOPE_VERSION ")\n";

std::string header(const std::string& bytes) {
  return kMagic + std::to_string(bytes.size()) + ' ' + simcore::native::digestOf(bytes) + '\n';
}
} // namespace

namespace {
void serialize(const Compiled& compiled, std::ostream& out) {
  asPoplar([&] {
    const std::string bytes = simcore::poplar::toBytes(compiled.stored());
    out << header(bytes) << bytes;
    if (!out) throw file_load_error("the executable cannot be written");
  });
}
} // namespace

void Executable::serialize(std::ostream& out) const {
  requireMade(m_inside.get());
  poplar::serialize(*m_inside->compiled, out);
}
Executable Executable::deserialize(std::istream& in) {
  std::string line, digest, bytes;
  std::size_t size = 0;
  if (!std::getline(in, line)) throw file_load_error("the executable cannot be read: the file is missing or empty");
  if (line + '\n' != kMagic) throw file_load_error("this is not an executable of this library (" + versionString() + ")");
  if (!(in >> size >> digest) || in.get() != '\n') throw file_load_error("the executable is cut short");
  constexpr std::size_t kPart = std::size_t(1) << 20; // so that a wrong length allocates no memory
  while (bytes.size() < size) {
    const std::size_t first = bytes.size(), part = std::min(kPart, size - first);
    bytes.resize(first + part);
    if (!in.read(bytes.data() + first, std::streamsize(part))) throw file_load_error("the executable is cut short");
  }
  if (simcore::native::digestOf(bytes) != digest) throw file_load_error("the executable is damaged");
  return asPoplarOr<file_load_error>(
      [&] { return core::ExecutableAccess::made(std::make_shared<Compiled>(simcore::poplar::ofBytes(bytes))); });
}
ProfileValue Executable::getGraphProfile() const {
  requireMade(m_inside.get());
  return reportServices().graphProfile(m_inside->compiled->rows());
}
std::string Executable::getVersion() const { return versionString(); }

Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs, const OptionFlags& options,
                        ProgressFunc progress, const DebugContext& context) {
  return core::ExecutableAccess::made(std::make_shared<Compiled>(graph, programs, options, progress, context.getPathName()));
}
Executable compileGraph(const Graph& graph, const program::Program& program, const OptionFlags& options, ProgressFunc progress,
                        const DebugContext& context) {
  return compileGraph(graph, ArrayRef<program::Program>(&program, 1), options, std::move(progress), context);
}

// ---- an engine --------------------------------------------------------------------------------------------------------

struct Engine::Inside {
  std::shared_ptr<Compiled> compiled;
  std::vector<std::function<void(run::Engine&)>> connections; // applied to an engine that is loaded again
  std::ostream* printStream = nullptr;
  bool loaded = false, hasRun = false;
  std::mutex stopping; // guards `running`, because stop() is for other threads
  std::optional<std::stop_source> running;

  run::Engine& engine() { return compiled->engine(); }
  std::stop_token begin() {
    const std::scoped_lock lock(stopping);
    return running.emplace().get_token();
  }
  void end() {
    const std::scoped_lock lock(stopping);
    running.reset();
  }
  // Applies `connection` now, and again whenever the program is loaded.
  void connect(std::function<void(run::Engine&)> connection) {
    asPoplarOr<stream_connection_error>([&] { connection(engine()); });
    connections.push_back(std::move(connection));
  }
};

Engine::Engine(const Graph& graph, ArrayRef<program::Program> programs, const OptionFlags& options, ProgressFunc progress,
               const DebugContext& context)
    : m_inside(new Inside) {
  m_inside->compiled = std::make_shared<Compiled>(graph, programs, options, progress, context.getPathName());
}
Engine::Engine(const Graph& graph, const program::Program& program, const OptionFlags& options, ProgressFunc progress,
               const DebugContext& context)
    : Engine(graph, ArrayRef<program::Program>(&program, 1), options, std::move(progress), context) {}
namespace {
void addReports(Compiled& compiled, const OptionFlags& options) {
  const bool isModel = compiled.target().getTargetType() == TargetType::IPU_MODEL;
  compiled.addReports(simcore::poplar::wishesOf(options, isModel).reports);
}
} // namespace
Engine::Engine(Executable&& executable, const OptionFlags& options) : m_inside(new Inside) {
  m_inside->compiled = core::ExecutableAccess::take(executable);
  addReports(*m_inside->compiled, options);
}
Engine::Engine(const Executable& executable, const OptionFlags& options) : m_inside(new Inside) {
  m_inside->compiled = core::ExecutableAccess::share(executable);
  addReports(*m_inside->compiled, options);
}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::load(const Device& device) {
  const Target &wanted = m_inside->compiled->target(), &given = device.getTarget();
  if (!device.isAttached() && given.getTargetType() == TargetType::IPU)
    throw poplar_error("the device is not attached: call attach() and check its result");
  if (given.getNumIPUs() * given.getTilesPerIPU() < wanted.getNumTiles())
    throw poplar_error("the program is made for " + std::to_string(wanted.getNumTiles()) + " tiles, the device has " +
                       std::to_string(given.getNumTiles()));
  if (m_inside->hasRun) {
    asPoplar([&] { m_inside->compiled->restart(); });
    for (const auto& connection : m_inside->connections) connection(m_inside->engine());
    if (m_inside->printStream) m_inside->engine().setPrintTensorStream(*m_inside->printStream);
  }
  m_inside->loaded = true;
  m_inside->hasRun = false;
}

void Engine::run(unsigned program, const std::string& debugName) {
  if (!m_inside->loaded) throw poplar_error("the engine is not loaded: call load(device) before run()");
  m_inside->hasRun = true;
  const std::string name = debugName.empty() ? "program " + std::to_string(program) : debugName;
  struct Running {
    explicit Running(Inside& i) : inside(i), token(i.begin()) {}
    ~Running() { inside.end(); }
    Inside& inside;
    std::stop_token token;
  } const running(*m_inside);
  reports::NoProgress none;
  try {
    m_inside->engine().run(program, name, running.token, none);
  } catch (const reports::Cancelled&) {
    std::cerr << "tilescope: Engine::stop ended " << name << "\n";
  } catch (const reports::Error& error) {
    switch (error.code()) {
    case reports::ErrorCode::NotConnected: // the error's own text advises an option of the command line
      throw stream_connection_error(error.message() + " (" + error.where() +
                                    "): connect it with Engine::connectStream, connectStreamToCallback or connectHostFunction");
    case reports::ErrorCode::OutOfMemory: throw graph_memory_allocation_error(error.what());
    default: throw application_runtime_error(error.what());
    }
  }
  for (const auto& [written, times] : m_inside->engine().writtenInputs())
    simcore::poplar::warnOnce(run::writesAnInput(written.first, written.second));
  for (const auto& [codelet, field] : m_inside->engine().readsBeside())
    simcore::poplar::warnOnce(run::readsBeside(codelet, field));
  for (const auto& [codelet, field] : m_inside->engine().writesBeside())
    simcore::poplar::warnOnce(run::writesBeside(codelet, field));
}
void Engine::stop() {
  const std::scoped_lock lock(m_inside->stopping);
  if (m_inside->running) m_inside->running->request_stop();
}
namespace {
void nameOnce(const char* call, const RuntimeOptions& options) {
  for (const auto& [name, value] : options.options())
    simcore::poplar::warnOnce(std::string("Engine::") + call + ": the option \"" + name + "\" changes nothing here");
}
} // namespace
void Engine::prepare(const Device& device, const RuntimeOptions& options) {
  nameOnce("prepare", options);
  load(device);
}
void Engine::run(unsigned program, const std::string& debugName, const RuntimeOptions& options) {
  nameOnce("run", options);
  run(program, debugName);
}
OptionFlags Engine::getEngineOptions() const {
  OptionFlags options;
  for (const auto& [name, value] : m_inside->compiled->givenOptions()) options.set(name, value);
  return options;
}
std::string Engine::getTargetSystemString() const { return m_inside->compiled->target().getTargetSystemString(); }

// ---- streams ----------------------------------------------------------------------------------------------------------

void Engine::connectStream(StringRef handle, void* begin, void* end) {
  m_inside->connect([handle = handle.cloneAsString(), begin, end](run::Engine& engine) {
    engine.connectStream(handle, static_cast<char*>(begin), static_cast<char*>(end));
  });
}
void Engine::connectStream(StringRef handle, void* memory) {
  m_inside->connect([handle = handle.cloneAsString(), memory](run::Engine& engine) { engine.connectStream(handle, memory); });
}

namespace {
// The program's callback in the engine's form.
class Callback final : public run::StreamCallback {
public:
  explicit Callback(std::shared_ptr<poplar::StreamCallback> callback) : m_callback(std::move(callback)) {}
  Result prefetch(void* data) override {
    return m_callback->prefetch(data) == poplar::StreamCallback::Result::Success ? Result::Success : Result::NotAvailable;
  }
  void fetch(void* data) override { m_callback->fetch(data); }
  void complete() override { m_callback->complete(); }
  void invalidatePrefetched() override { m_callback->invalidatePrefetched(); }

private:
  std::shared_ptr<poplar::StreamCallback> m_callback;
};
} // namespace

void Engine::connectStreamToCallback(StringRef handle, StreamCallbackHandle callback) {
  const std::shared_ptr<StreamCallback> shared = std::move(callback).extract();
  m_inside->connect([handle = handle.cloneAsString(), shared](run::Engine& engine) {
    engine.connectStreamToCallback(handle, std::make_unique<Callback>(shared));
  });
}
void Engine::connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback) {
  const std::shared_ptr<StreamCallback> shared = std::move(callback).extract();
  m_inside->connect([handle = handle.cloneAsString(), replica, shared](run::Engine& engine) {
    engine.connectStreamToCallback(handle, replica, std::make_unique<Callback>(shared));
  });
}
void Engine::connectHostFunction(StringRef handle, unsigned, HostFunctionCallbackHandle callback) {
  const std::shared_ptr<HostFunctionCallback> shared = std::move(callback).extract();
  m_inside->connect([handle = handle.cloneAsString(), shared](run::Engine& engine) {
    engine.connectHostFunction(handle, [shared](const std::vector<const void*>& inputs, const std::vector<void*>& outputs) {
      shared->call(inputs, outputs);
    });
  });
}

void Engine::copyFromRemoteBuffer(StringRef handle, void* memory, std::uint64_t row, unsigned replica) {
  asPoplarOr<stream_connection_error>([&] { m_inside->engine().copyFromRemoteBuffer(handle, memory, int64_t(row), replica); });
}
void Engine::copyToRemoteBuffer(const void* memory, StringRef handle, std::uint64_t row, unsigned replica) {
  asPoplarOr<stream_connection_error>([&] { m_inside->engine().copyToRemoteBuffer(memory, handle, int64_t(row), replica); });
}

// ---- tensors ----------------------------------------------------------------------------------------------------------

namespace {
int64_t bytesOf(const Compiled& compiled, const std::string& handle) {
  const auto& handles = compiled.graph().hostHandles();
  const auto it = handles.find(handle);
  if (it == handles.end())
    throw tensor_io_state_error("no tensor has the handle '" + handle + "': make it with createHostRead or createHostWrite");
  return it->second.tensor.numElements() * int64_t(simcore::numerics::hostSize(it->second.tensor.elementType()));
}
// Whether `bytes` holds one copy of the tensor for each of several replicas, as Poplar transfers tensors of replicated graphs.
bool holdsAllReplicas(const Compiled& compiled, const std::string& handle, int64_t bytes) {
  const int replicas = compiled.graph().machine().replicas;
  return replicas > 1 && bytes > 0 && bytes == replicas * bytesOf(compiled, handle);
}
// The part of the caller's memory that is transferred: as in Poplar, more than the tensor takes may be given.
int64_t usedOf(const Compiled& compiled, const std::string& handle, int64_t bytes) {
  return compiled.graph().machine().replicas > 1 ? bytes : std::min(bytes, bytesOf(compiled, handle));
}
} // namespace

void Engine::readTensor(StringRef handle, void* begin, void* end) {
  char* at = static_cast<char*>(begin);
  if (holdsAllReplicas(*m_inside->compiled, handle, static_cast<char*>(end) - at)) {
    const int64_t each = bytesOf(*m_inside->compiled, handle);
    for (unsigned r = 0; at < end; ++r, at += each) readTensor(handle, r, at, at + each);
    return;
  }
  asPoplarOr<tensor_io_state_error>(
      [&] { m_inside->engine().readTensor(handle, at, at + usedOf(*m_inside->compiled, handle, static_cast<char*>(end) - at)); });
}
void Engine::writeTensor(StringRef handle, const void* begin, const void* end) {
  const char* at = static_cast<const char*>(begin);
  if (holdsAllReplicas(*m_inside->compiled, handle, static_cast<const char*>(end) - at)) {
    const int64_t each = bytesOf(*m_inside->compiled, handle);
    for (unsigned r = 0; at < end; ++r, at += each) writeTensor(handle, r, at, at + each);
    return;
  }
  asPoplarOr<tensor_io_state_error>([&] {
    m_inside->engine().writeTensor(handle, at, at + usedOf(*m_inside->compiled, handle, static_cast<const char*>(end) - at));
  });
}
void Engine::readTensor(StringRef handle, void* memory) {
  readTensor(handle, memory, static_cast<char*>(memory) + bytesOf(*m_inside->compiled, handle));
}
void Engine::writeTensor(StringRef handle, const void* memory) {
  writeTensor(handle, memory, static_cast<const char*>(memory) + bytesOf(*m_inside->compiled, handle));
}
void Engine::readTensor(StringRef handle, unsigned replica, void* begin, void* end) {
  asPoplarOr<tensor_io_state_error>(
      [&] { m_inside->engine().readReplica(handle, replica, begin, static_cast<char*>(end) - static_cast<char*>(begin)); });
}
void Engine::writeTensor(StringRef handle, unsigned replica, const void* begin, const void* end) {
  asPoplarOr<tensor_io_state_error>([&] {
    m_inside->engine().writeReplica(handle, replica, begin, static_cast<const char*>(end) - static_cast<const char*>(begin));
  });
}
std::vector<std::string> Engine::listTensors() const {
  std::vector<std::string> names;
  for (const auto& [name, handle] : m_inside->compiled->graph().hostHandles()) names.push_back(name);
  return names;
}
std::vector<std::string> Engine::listStreams() const {
  std::vector<std::string> names;
  for (const auto& stream : m_inside->compiled->graph().streams()) names.push_back(stream.name);
  return names;
}

void Engine::setPrintTensorStream(std::ostream& out) {
  m_inside->printStream = &out;
  m_inside->engine().setPrintTensorStream(out);
}
void Engine::setPrintStream(std::ostream& out) { setPrintTensorStream(out); } // the engine has one stream for both

// ---- profiles ---------------------------------------------------------------------------------------------------------

void Engine::enableExecutionProfiling() { m_inside->engine().enableExecutionProfiling(); }
void Engine::disableExecutionProfiling() { m_inside->engine().disableExecutionProfiling(); }
void Engine::resetExecutionProfile() {
  simcore::poplar::warnOnce("Engine::resetExecutionProfile has no effect here: profiles cover all runs");
}
pva::Report Engine::getReport(bool) {
  return asPoplar([&] { return reportServices().report(m_inside->compiled->rows()); });
}
namespace {
simcore::poplar::SummaryOptions wantedOf(const OptionFlags& options) {
  simcore::poplar::SummaryOptions wanted;
  for (const auto& [name, value] : options) {
    const bool on = value == "true";
    if (name == "showExecutionSteps")
      wanted.showExecutionSteps = on;
    else if (name == "showVarStorage")
      wanted.showVarStorage = on;
    else if (name != "showOptimizations" && name != "showPerIpuMemoryUsage" && name != "colours")
      simcore::poplar::warnOnce("option '" + name + "' of printProfileSummary is not known and has no effect");
  }
  return wanted;
}
} // namespace

struct core::ProfileSource {
  std::shared_ptr<Compiled> compiled;

  static ProfileValue made(ProfileValue value, std::shared_ptr<Compiled> compiled) {
    value.m_source = std::make_shared<const ProfileSource>(ProfileSource{std::move(compiled)});
    return value;
  }
  static std::string textOf(const char* call, const ProfileValue& value, const OptionFlags& options) {
    if (!value.m_source)
      throw poplar_error(std::string(call) +
                         ": the profile does not come from Engine::getGraphProfile() or getExecutionProfile()");
    return asPoplar([&] { return reportServices().summary(value.m_source->compiled->rows(), wantedOf(options)); });
  }
};

void Engine::printProfileSummary(std::ostream& out, const OptionFlags& options) {
  asPoplar([&] { out << reportServices().summary(m_inside->compiled->rows(), wantedOf(options)); });
}
ProfileValue Engine::getGraphProfile() {
  return core::ProfileSource::made(asPoplar([&] { return reportServices().graphProfile(m_inside->compiled->rows()); }),
                                   m_inside->compiled);
}
ProfileValue Engine::getExecutionProfile() {
  return core::ProfileSource::made(asPoplar([&] { return reportServices().executionProfile(m_inside->compiled->rows()); }),
                                   m_inside->compiled);
}
namespace {
constexpr const char* kExecution = "\nExecution:"; // the part about runs begins here
}
void printGraphSummary(std::ostream& out, const ProfileValue& graphProfile, const OptionFlags& options) {
  const std::string text = core::ProfileSource::textOf("printGraphSummary", graphProfile, options);
  out << text.substr(0, std::min(text.size(), text.find(kExecution) + 1));
}
void printExecutionSummary(std::ostream& out, const ProfileValue&, const ProfileValue& executionProfile,
                           const OptionFlags& options) {
  const std::string text = core::ProfileSource::textOf("printExecutionSummary", executionProfile, options);
  if (const auto at = text.find(kExecution); at != std::string::npos) out << text.substr(at + 1);
}
void printProfileSummary(std::ostream& out, const ProfileValue&, const ProfileValue& executionProfile,
                         const OptionFlags& options) {
  out << core::ProfileSource::textOf("printProfileSummary", executionProfile, options);
}
ProfileValue Engine::getProfile() {
  return ProfileValue::Map{{"graphProfile", getGraphProfile()}, {"executionProfile", getExecutionProfile()}};
}
void Engine::serializeExecutable(std::ostream& out) const { serialize(*m_inside->compiled, out); }
void Engine::reportIntervals(std::ostream& out) {
  const ProfileValue profile = getExecutionProfile();
  out << "start,end,name\n";
  if (const ProfileValue* trace = profile.getOrNull("runs"))
    for (const ProfileValue& entry : trace->asVector())
      out << entry["start"] << ',' << entry["end"] << ',' << entry["name"].asString() << '\n';
}
Engine::TimerTimePoint Engine::getTimeStamp() {
  const auto ipus = m_inside->compiled->target().getNumIPUs();
  return {std::vector<std::uint64_t>(ipus, std::uint64_t(m_inside->engine().cycle()))};
}
std::string Engine::reportTiming(const TimerTimePoint& from, const TimerTimePoint& to) {
  const std::uint64_t cycles = to.count.at(0) - from.count.at(0);
  std::ostringstream out;
  out << "Total: " << cycles << " cycles, " << double(cycles) / m_inside->compiled->target().getTileClockFrequency() << " s\n";
  return out.str();
}

} // namespace poplar

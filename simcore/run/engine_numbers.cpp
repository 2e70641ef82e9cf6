// The numbers of a program's steps, and the host's access to them.
#include "reports/core/error.h"
#include "simcore/graph/across_replicas.h"
#include "simcore/graph/lasting_kernel.h"
#include "simcore/run/engine.h"
#include "simcore/run/print_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>

namespace simcore::run {

using compile::StepKind;
using graph::ProgramNode;
using graph::Tensor;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;
using Kind = ProgramNode::Kind;

void Engine::connectInput(const std::string& stream, std::vector<HostTensor> values) {
  const auto& all = m_e.graph->streams();
  if (std::any_of(all.begin(), all.end(), [&](const auto& s) { return s.name == stream; }))
    m_streams.connectValues(stream, std::move(values));
}

const std::vector<HostTensor>& Engine::received(const std::string& stream) const {
  static const std::vector<HostTensor> kNone;
  const auto& all = m_e.graph->streams();
  const bool known = std::any_of(all.begin(), all.end(), [&](const auto& s) { return s.name == stream; });
  return known ? m_streams.received(stream) : kNone;
}

void Engine::connectStreamToCallback(const std::string& handle, std::function<void(void*)> fetch) {
  struct Fetcher final : StreamCallback {
    explicit Fetcher(std::function<void(void*)> f) : function(std::move(f)) {}
    void fetch(void* data) override { function(data); }
    std::function<void(void*)> function;
  };
  if (!fetch) throw Error(ErrorCode::InvalidInput, "the callback of the stream is empty", handle);
  m_streams.connectCallback(handle, std::make_unique<Fetcher>(std::move(fetch)));
}

// Host handles and remote buffers.

const graph::HostHandle& Engine::handle(const std::string& name) const {
  const auto& all = m_e.graph->hostHandles();
  const auto found = all.find(name);
  if (found == all.end())
    throw Error(ErrorCode::NotFound, "no tensor has this handle", name, "make it with createHostRead or createHostWrite");
  return found->second;
}

HostTensor Engine::readTensor(const std::string& name) const {
  const auto& h = handle(name);
  if (!h.read) throw Error(ErrorCode::InvalidInput, "the handle is for writing only", name, "make one with createHostRead");
  return m_tensors.read(h.tensor).cast(h.tensor.elementType());
}

void Engine::writeTensor(const std::string& name, const HostTensor& value) {
  const auto& h = handle(name);
  if (!h.write) throw Error(ErrorCode::InvalidInput, "the handle is for reading only", name, "make one with createHostWrite");
  writeTensor(h.tensor, value);
}

void Engine::writeTensor(const Tensor& tensor, const HostTensor& value) {
  m_tensors.write(tensor, value);
  for (TensorStore& other : m_others) other.write(tensor, value);
}

namespace {
void requireSize(int64_t given, int64_t wanted, const std::string& name) {
  if (given != wanted)
    throw Error(ErrorCode::InvalidInput, std::to_string(given) + " bytes given, the tensor has " + std::to_string(wanted), name);
}
} // namespace

void Engine::readBytes(const std::string& name, void* memory, int64_t bytes) const {
  const HostTensor value = readTensor(name);
  requireSize(bytes, int64_t(value.byteCount()), name);
  std::memcpy(memory, value.raw().data(), value.byteCount());
}

void Engine::writeBytes(const std::string& name, const void* memory, int64_t bytes) {
  const Tensor& tensor = handle(name).tensor;
  HostTensor value = HostTensor::uninitialised(tensor.elementType(), tensor.shape());
  requireSize(bytes, int64_t(value.byteCount()), name);
  std::memcpy(value.mutableRaw().data(), memory, value.byteCount());
  writeTensor(name, value);
}

void Engine::copyToRemoteBuffer(const void* row, const std::string& name, int64_t index) {
  const auto& buffer = m_streams.remoteBuffer(name);
  HostTensor value = HostTensor::uninitialised(buffer.type, {buffer.elements});
  std::memcpy(value.mutableRaw().data(), row, value.byteCount());
  m_streams.requireRow(buffer, index);
  for (std::size_t r = 0; r <= m_others.size(); ++r) {
    m_streams.selectReplica(r);
    m_streams.writeRow(buffer, index, value);
  }
  m_streams.selectReplica(0);
}

void Engine::copyFromRemoteBuffer(const std::string& name, void* row, int64_t index) const {
  const HostTensor value = m_streams.readRow(m_streams.remoteBuffer(name), index);
  std::memcpy(row, value.raw().data(), value.byteCount());
}

// Steps.

bool Engine::predicate(const Tensor& tensor) const { return m_tensors.read(tensor).at(0) != 0; }

// Replaces values and streams of the first replica by those of another during its lifetime.
class Engine::OnReplica {
public:
  OnReplica(Engine& engine, std::size_t replica) : m_engine(engine), m_replica(replica) { select(replica); }
  ~OnReplica() { select(0); }

private:
  void select(std::size_t streams) {
    std::swap(m_engine.m_tensors, m_engine.m_others[m_replica - 1]);
    m_engine.m_streams.selectReplica(streams);
  }
  Engine& m_engine;
  std::size_t m_replica;
};

void Engine::requireReplica(std::size_t replica) const {
  if (replica <= m_others.size()) return;
  throw Error(ErrorCode::NotFound,
              "replica " + std::to_string(replica) + " does not exist, the program has " + std::to_string(m_others.size() + 1),
              "Engine");
}

void Engine::readReplica(const std::string& name, std::size_t replica, void* memory, int64_t bytes) {
  requireReplica(replica);
  if (replica == 0) return readBytes(name, memory, bytes);
  const OnReplica on(*this, replica);
  readBytes(name, memory, bytes);
}

void Engine::writeReplica(const std::string& name, std::size_t replica, const void* memory, int64_t bytes) {
  requireReplica(replica);
  const auto& h = handle(name);
  if (!h.write) throw Error(ErrorCode::InvalidInput, "the handle is for reading only", name, "make one with createHostWrite");
  HostTensor value = HostTensor::uninitialised(h.tensor.elementType(), h.tensor.shape());
  requireSize(bytes, int64_t(value.byteCount()), name);
  std::memcpy(value.mutableRaw().data(), memory, value.byteCount());
  (replica == 0 ? m_tensors : m_others[replica - 1]).write(h.tensor, value);
}

void Engine::copyToRemoteBuffer(const void* row, const std::string& name, int64_t index, std::size_t replica) {
  requireReplica(replica);
  const auto& buffer = m_streams.remoteBuffer(name);
  m_streams.requireRow(buffer, index);
  HostTensor value = HostTensor::uninitialised(buffer.type, {buffer.elements});
  std::memcpy(value.mutableRaw().data(), row, value.byteCount());
  m_streams.selectReplica(replica);
  m_streams.writeRow(buffer, index, value);
  m_streams.selectReplica(0);
}

void Engine::copyFromRemoteBuffer(const std::string& name, void* row, int64_t index, std::size_t replica) {
  requireReplica(replica);
  m_streams.selectReplica(replica);
  const HostTensor value = m_streams.readRow(m_streams.remoteBuffer(name), index);
  m_streams.selectReplica(0);
  std::memcpy(row, value.raw().data(), value.byteCount());
}

// Replicas execute the same steps: conditions are evaluated on the first replica.
void Engine::numbersOf(const Step& s) {
  if (!m_others.empty() && s.action->kind == Kind::HostCompute)
    if (const auto* together = s.action->kernel.target<graph::AcrossReplicas>()) return runAcrossReplicas(*s.action, *together);
  const bool toAll = m_options.sameInputs ||
                     (s.action->kind == Kind::StreamToTensor &&
                      m_e.graph->streams()[s.action->stream.value].options.mode == graph::ReplicatedStreamMode::Broadcast);
  if (!m_others.empty() && s.action->kind == Kind::StreamToTensor && toAll)
    return writeTensor(s.action->destination, m_streams.fetch(s.action->stream.value, cycle())); // one for all replicas
  numbersOnReplica(s);
  if (m_options.sameInputs && s.action->kind == Kind::TensorToStream) return; // only the first replica's values reach the host
  for (std::size_t r = 1; r <= m_others.size(); ++r) {
    const OnReplica selected(*this, r);
    numbersOnReplica(s);
  }
}

void Engine::runAcrossReplicas(const ProgramNode& n, const graph::AcrossReplicas& together) {
  graph::AcrossReplicas::PerReplica inputs(m_others.size() + 1);
  for (std::size_t r = 0; r < inputs.size(); ++r)
    for (const Tensor& t : n.inputs) inputs[r].push_back((r == 0 ? m_tensors : m_others[r - 1]).read(t));
  const auto outputs = together.kernel(inputs);
  for (std::size_t i = 0; i < n.outputs.size(); ++i) {
    store(n.outputs[i], outputs[0].at(i), n.name);
    for (std::size_t r = 0; r < m_others.size(); ++r) m_others[r].writeResult(n.outputs[i], outputs[r + 1].at(i));
  }
}

void Engine::numbersOnReplica(const Step& s) {
  const ProgramNode& n = *s.action;
  m_tensors.setWhere(s.name.empty() ? n.name : s.name);
  switch (n.kind) {
  case Kind::HostCompute: return runKernel(n, s.name);
  case Kind::Copy: return m_tensors.write(n.destination, m_tensors.read(n.source));
  case Kind::Execute: {
    const MachineNow now{[this](int64_t tile) { return clockOf(tile); }, &printStream()};
    const auto cost = m_vertices.run(n.computeSet, s.name, m_tensors, now, m_stop);
    if (!m_cost) m_cost = cost; // the reported time is the time of the first replica
    return;
  }
  case Kind::StreamToTensor: return m_tensors.write(n.destination, m_streams.fetch(n.stream.value, cycle()));
  case Kind::TensorToStream: return m_streams.deliver(n.stream.value, m_tensors.read(n.source));
  case Kind::RemoteToTensor:
  case Kind::TensorToRemote: return remoteNumbers(n);
  case Kind::WriteUndef: return m_tensors.forget(n.destination);
  case Kind::CycleStamp: return cycleStamp(n, s.duration.value());
  case Kind::SetFloatingPoint: return m_tensors.setFloatingPoint(n.floatingPoint);
  case Kind::AbortOnCondition:
    if (predicate(n.source)) throw Error(ErrorCode::InvalidInput, "the program stopped itself: " + n.name, "AbortOnCondition");
    return;
  case Kind::ErrorProgram:
    if (n.source.valid()) print(n);
    throw Error(ErrorCode::InvalidInput, "the program stopped itself: " + n.name, "ErrorProgram");
  case Kind::PrintTensor: return print(n);
  default: return;
  }
}

std::ostream& Engine::printStream() const { return m_options.printStream ? *m_options.printStream : std::cerr; }

void Engine::print(const ProgramNode& n) {
  const auto variables = n.source.variables();
  const std::string title = !n.name.empty() || variables.empty() ? n.name : m_e.graph->variable(variables[0]).name;
  printStream() << printedTensor(title, m_tensors.read(n.source), graph::PrintFormat::ofNumbers(n.cases)) << std::flush;
}

void Engine::remoteNumbers(const ProgramNode& n) {
  const auto& buffer = n.remoteBuffer;
  std::vector<int64_t> rows{0};
  if (n.offset.valid()) rows = m_tensors.read(n.offset).toIntegers();
  const bool in = n.kind == Kind::RemoteToTensor;
  const Tensor tensor = (in ? n.destination : n.source).reshape({int64_t(rows.size()), buffer.elements});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Tensor part = tensor[int64_t(i)];
    if (!in) {
      m_streams.writeRow(buffer, rows[i], m_tensors.read(part));
      continue;
    }
    const HostTensor row = m_streams.readRow(buffer, rows[i]);
    if (m_options.checkReads && !m_streams.hasRow(buffer, rows[i]))
      throw Error(ErrorCode::InvalidInput, "row " + std::to_string(rows[i]) + " is read, but nothing wrote it",
                  "remote buffer '" + buffer.handle + "'");
    m_tensors.write(part, row);
  }
}

void Engine::store(const Tensor& tensor, const HostTensor& result, const std::string& step) {
  m_tensors.writeResult(tensor, result);
  const auto& fp = m_tensors.floatingPoint();
  if (!(fp.inv || fp.div0 || fp.oflo) || !numerics::isFloating(tensor.elementType())) return;
  const HostTensor kept = m_tensors.read(tensor);
  for (int64_t i = 0; i < kept.count(); ++i) {
    const double v = kept.at(i);
    if ((std::isnan(v) && fp.inv) || (std::isinf(v) && (fp.oflo || fp.div0)))
      throw Error(ErrorCode::InvalidInput,
                  std::string("floating-point exception: element ") + std::to_string(i) + " of '" +
                      m_e.graph->fullName(tensor.variables()[0]) + "' is " + (std::isnan(v) ? "NaN" : "infinite"),
                  step);
  }
}

void Engine::runKernel(const ProgramNode& n, const std::string& step) {
  const std::string name = n.name.empty() ? m_e.graph->fullName(n.context) : n.name;
  m_tensors.setWhere(name);
  const auto timed = span(name);
  std::vector<HostTensor> inputs;
  for (const auto& t : n.inputs) inputs.push_back(m_tensors.read(t));
  const auto* lasting = n.kernel.target<graph::LastingKernel>();
  std::vector<HostTensor> outputs = lasting ? lasting->kernel(inputs, m_tensors.stateOf(n)) : n.kernel(inputs);
  if (outputs.size() != n.outputs.size())
    throw Error(ErrorCode::Internal,
                "kernel gave " + std::to_string(outputs.size()) + " tensors instead of " + std::to_string(n.outputs.size()),
                n.name);
  for (std::size_t i = 0; i < outputs.size(); ++i) store(n.outputs[i], outputs[i], step.empty() ? name : step);
}

} // namespace simcore::run

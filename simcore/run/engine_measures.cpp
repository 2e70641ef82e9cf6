// Host functions, implemented as streams with a common callback, and cycle measurements of programs.
#include "reports/core/error.h"
#include "simcore/run/engine.h"

#include <algorithm>
#include <cstring>

namespace simcore::run {

using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

// One call: the arguments arrive one after the other, then the results are fetched one after the other.
struct HostCall {
  Engine::HostFunctionCallback callback;
  std::vector<std::vector<std::byte>> inputs, outputs;

  void run() {
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const auto& bytes : inputs) in.push_back(bytes.data());
    for (auto& bytes : outputs) out.push_back(bytes.data());
    callback(in, out);
  }
};

class ArgumentTaken final : public StreamCallback {
public:
  ArgumentTaken(std::shared_ptr<HostCall> call, std::size_t index) : m_call(std::move(call)), m_index(index) {}
  void fetch(void* argument) override {
    auto& bytes = m_call->inputs[m_index];
    std::memcpy(bytes.data(), argument, bytes.size());
    if (m_call->outputs.empty() && m_index + 1 == m_call->inputs.size()) m_call->run();
  }

private:
  std::shared_ptr<HostCall> m_call;
  std::size_t m_index;
};

class ResultGiven final : public StreamCallback {
public:
  ResultGiven(std::shared_ptr<HostCall> call, std::size_t index) : m_call(std::move(call)), m_index(index) {}
  void fetch(void* result) override {
    if (m_index == 0) m_call->run();
    const auto& bytes = m_call->outputs[m_index];
    std::memcpy(result, bytes.data(), bytes.size());
  }

private:
  std::shared_ptr<HostCall> m_call;
  std::size_t m_index;
};

} // namespace

void Engine::connectHostFunction(const std::string& handle, HostFunctionCallback callback) {
  const auto& all = m_e.graph->hostFunctions();
  const auto f = std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.handle == handle; });
  if (f == all.end())
    throw Error(ErrorCode::NotFound, "the program has no host function of this handle", handle, "make it with addHostFunction");
  if (!callback) throw Error(ErrorCode::NotConnected, "the host function is not connected", handle);
  auto call = std::make_shared<HostCall>();
  call->callback = std::move(callback);
  const auto bytes = [](const graph::HostFunctionArgument& a) { return std::size_t(a.elements) * numerics::hostSize(a.type); };
  for (const auto& a : f->inputs) call->inputs.emplace_back(bytes(a));
  for (const auto& a : f->outputs) call->outputs.emplace_back(bytes(a));
  const auto& streams = m_e.graph->streams();
  for (std::size_t i = 0; i < f->inputs.size(); ++i)
    m_streams.connectCallback(streams[f->inputStreams[i].value].name, std::make_unique<ArgumentTaken>(call, i));
  for (std::size_t i = 0; i < f->outputs.size(); ++i)
    m_streams.connectCallback(streams[f->outputStreams[i].value].name, std::make_unique<ResultGiven>(call, i));
}

int64_t Engine::clockOf(int64_t tile) const {
  int set = 0;
  while (set + 1 < m_sets.count() && !m_sets.tiles(set).contains(tile)) ++set;
  return m_clocks[std::size_t(set)];
}

void Engine::cycleStamp(const graph::ProgramNode& n, int64_t ownCycles) {
  const auto variable = n.destination.variables().at(0);
  const int64_t now = clockOf(m_e.graph->variable(variable).tileRange().begin);
  if (n.count == 0) {
    m_stamps[variable] = now + ownCycles;
    return;
  }
  const uint64_t cycles = uint64_t(n.count == 1 ? now - m_stamps[variable] : now);
  m_tensors.write(n.destination, HostTensor::vector<uint32_t>({uint32_t(cycles), uint32_t(cycles >> 32)}));
}

} // namespace simcore::run

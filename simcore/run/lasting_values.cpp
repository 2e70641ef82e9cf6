#include "simcore/run/lasting_values.h"

#include "reports/core/error.h"

#include <algorithm>

namespace simcore::run {

using graph::Workload;

namespace {

// Writes a value to the rows of a buffer, one after the other; the last row may be longer than the rest of the value.
void writeRows(const graph::RemoteBuffer& buffer, const numerics::HostTensor& value, Engine& engine) {
  const auto whole = value.cast(buffer.type);
  for (int64_t r = 0; r < buffer.repeats; ++r) {
    numerics::HostTensor row(buffer.type, {buffer.elements});
    const std::size_t begin = std::min(whole.byteCount(), std::size_t(r) * row.byteCount());
    const std::size_t bytes = std::min(row.byteCount(), whole.byteCount() - begin);
    std::copy_n(whole.raw().begin() + std::ptrdiff_t(begin), bytes, row.mutableRaw().begin());
    engine.copyToRemoteBuffer(row.raw().data(), buffer.handle, r);
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

const graph::RemoteBuffer* remoteOf(const Workload& workload, const std::string& name) {
  for (const auto& buffer : workload.graph->remoteBuffers())
    if (buffer.handle == "remote/" + name) return &buffer;
  return nullptr;
}

} // namespace

void fillRemoteBuffers(const Workload& workload, Engine& engine) {
  for (const auto& buffer : workload.graph->remoteBuffers())
    if (const auto contents = workload.remoteContents.find(buffer.handle); contents != workload.remoteContents.end())
      writeRows(buffer, contents->second, engine);
}

std::map<std::string, numerics::HostTensor> lastingValues(const Workload& workload, const Engine& engine, bool withState) {
  std::map<std::string, numerics::HostTensor> values;
  for (const auto& [name, tensor] : workload.variables) values[name] = engine.readTensor(tensor);
  if (withState)
    for (const auto& [name, tensor] : workload.state) values[name] = engine.readTensor(tensor);
  for (const auto& [name, shape] : workload.remoteVariables)
    if (const auto* buffer = remoteOf(workload, name)) values[name] = readRemote(engine, *buffer, shape);
  return values;
}

void writeLastingValue(const Workload& workload, Engine& engine, const std::string& name, const numerics::HostTensor& value) {
  for (const auto* list : {&workload.variables, &workload.state})
    if (const auto it = list->find(name); it != list->end()) return engine.writeTensor(it->second, value);
  if (workload.remoteVariables.count(name))
    if (const auto* buffer = remoteOf(workload, name)) return writeRows(*buffer, value, engine);
  throw reports::Error(reports::ErrorCode::NotFound, "no variable of the program has this name", name);
}

} // namespace simcore::run

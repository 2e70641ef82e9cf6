#include "simcore/run/host_streams.h"

#include "reports/core/error.h"
#include "reports/core/option.h"

#include <algorithm>
#include <cstring>

namespace simcore::run {

using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {
// The additional cycles of a callback that is not hidden: about 80,000 instead of the usual 2,000 (programming-model 1.7).
constexpr int64_t kCallbackCycles = 78'000;
} // namespace

HostStreams::HostStreams(const graph::Graph& graph, bool prefetch)
    : m_graph(&graph), m_prefetch(prefetch), m_connections(graph.streams().size()), m_rows(graph.remoteBuffers().size()) {}

HostStreams::~HostStreams() = default;

uint32_t HostStreams::idOf(const std::string& stream) const {
  const auto& all = m_graph->streams();
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == stream; });
  if (it == all.end()) throw Error(ErrorCode::NotFound, "the program has no stream of this handle", stream);
  return uint32_t(it - all.begin());
}

int64_t HostStreams::transferBytes(uint32_t stream) const {
  const auto& s = m_graph->streams()[stream];
  return s.elements * int64_t(numerics::hostSize(s.type));
}

void HostStreams::disconnect(Connection& c) {
  if (c.callback && !c.prefetched.empty()) c.callback->invalidatePrefetched();
  c = Connection();
}

void HostStreams::connectValues(const std::string& stream, std::vector<HostTensor> values) {
  Connection& c = m_connections[idOf(stream)];
  disconnect(c);
  c.values.assign(std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
}

void HostStreams::connectMemory(const std::string& stream, void* begin, int64_t bytes, bool circular) {
  const uint32_t id = idOf(stream);
  if (!begin || (circular && (bytes < transferBytes(id) || bytes % transferBytes(id))))
    throw Error(ErrorCode::InvalidInput,
                begin ? std::to_string(bytes) + " bytes are not a whole number of transfers of " +
                            std::to_string(transferBytes(id)) + " bytes"
                      : std::string("the memory of the stream is null"),
                stream);
  Connection& c = m_connections[id];
  disconnect(c);
  c.memory = static_cast<std::byte*>(begin);
  c.memoryBytes = circular ? bytes : transferBytes(id);
  c.circular = circular;
}

void HostStreams::connectCallback(const std::string& stream, std::unique_ptr<StreamCallback> callback) {
  if (!callback) throw Error(ErrorCode::InvalidInput, "the callback of the stream is null", stream);
  Connection& c = m_connections[idOf(stream)];
  disconnect(c);
  c.callback = std::move(callback);
}

void HostStreams::connectCallback(const std::string& stream, std::size_t replica, std::unique_ptr<StreamCallback> callback) {
  const uint32_t id = idOf(stream);
  if (replica >= m_replicas)
    throw Error(ErrorCode::InvalidInput,
                "replica " + std::to_string(replica) + " does not exist: the engine computes " + std::to_string(m_replicas),
                stream, "set EngineOptions::replicas");
  if (!callback) throw Error(ErrorCode::InvalidInput, "the callback of the stream is null", stream);
  Connection& c = m_ofReplicas[{id, replica}];
  disconnect(c);
  c.callback = std::move(callback);
}

HostStreams::Connection& HostStreams::connectionOf(uint32_t stream) {
  const auto own = m_ofReplicas.find({stream, m_replica});
  return own == m_ofReplicas.end() ? m_connections[stream] : own->second;
}

const std::vector<HostTensor>& HostStreams::received(const std::string& stream) const {
  return m_connections[idOf(stream)].received;
}

void HostStreams::beginRun(std::size_t program, const std::vector<uint32_t>& streams, int64_t cycle) {
  const auto begin = [&](Connection& c) {
    c.received.clear();
    if (program != m_program && c.callback && !c.prefetched.empty()) {
      c.prefetched.clear();
      c.callback->invalidatePrefetched();
    }
  };
  for (Connection& c : m_connections) begin(c);
  for (auto& [of, c] : m_ofReplicas) begin(c);
  m_program = program;
  for (const uint32_t s : streams) prefetchMore(s, cycle);
}

void HostStreams::prefetchMore(uint32_t stream, int64_t cycle) {
  const auto& s = m_graph->streams()[stream];
  Connection& c = connectionOf(stream);
  if (!m_prefetch || !c.callback || s.direction != graph::StreamDirection::HostToDevice) return;
  while (int64_t(c.prefetched.size()) < s.options.bufferingDepth) {
    Prefetched p;
    p.bytes.resize(std::size_t(transferBytes(stream)));
    if (c.callback->prefetch(p.bytes.data()) != StreamCallback::Result::Success) return;
    c.hostFree = p.ready = std::max(c.hostFree, cycle) + kCallbackCycles;
    c.prefetched.push_back(std::move(p));
  }
}

int64_t HostStreams::waitForData(uint32_t stream, int64_t cycle) {
  Connection& c = connectionOf(stream);
  if (!c.callback) return 0; // the data is in the host's memory
  if (c.prefetched.empty()) {
    c.hostFree = std::max(c.hostFree, cycle) + kCallbackCycles;
    return c.hostFree - cycle;
  }
  return std::max<int64_t>(0, c.prefetched.front().ready - cycle);
}

int64_t HostStreams::waitForRoom(uint32_t stream, int64_t cycle) {
  Connection& c = connectionOf(stream);
  if (!c.callback) return 0;
  // The callback of this transfer starts when the host is free. The program continues while a buffer is left for the next
  // transfer.
  c.hostFree = std::max(c.hostFree, cycle) + kCallbackCycles;
  c.draining.push_back(c.hostFree);
  while (!c.draining.empty() && c.draining.front() <= cycle) c.draining.pop_front();
  const auto depth = std::size_t(std::max<int64_t>(1, m_graph->streams()[stream].options.bufferingDepth));
  return c.draining.size() < depth ? 0 : c.draining[c.draining.size() - depth] - cycle;
}

HostTensor HostStreams::fetch(uint32_t stream, int64_t cycle) {
  const auto& s = m_graph->streams()[stream];
  Connection& c = connectionOf(stream);
  if (!c.connected())
    throw Error(ErrorCode::NotConnected, "nothing is connected to the stream", s.name,
                "give a value with " + reports::option("input") + " " + s.name + "=FILE");
  if (!c.values.empty()) {
    HostTensor value = c.values.front();
    if (c.values.size() > 1) c.values.pop_front(); // the last value repeats
    return value;
  }
  HostTensor value = HostTensor::uninitialised(s.type, {s.elements});
  const auto bytes = value.mutableRaw();
  if (c.memory) {
    std::memcpy(bytes.data(), c.memory + c.at, bytes.size());
    if (c.circular) c.at = (c.at + int64_t(bytes.size())) % c.memoryBytes;
    return value;
  }
  if (c.prefetched.empty()) {
    c.callback->fetch(bytes.data());
  } else {
    std::memcpy(bytes.data(), c.prefetched.front().bytes.data(), bytes.size());
    c.prefetched.pop_front();
  }
  c.callback->complete();
  prefetchMore(stream, cycle);
  return value;
}

void HostStreams::deliver(uint32_t stream, const HostTensor& value) {
  const auto& s = m_graph->streams()[stream];
  Connection& c = connectionOf(stream);
  if (!c.memory && !c.callback) {
    c.received.push_back(value);
    return;
  }
  HostTensor sent = value.cast(s.type);
  if (c.memory) {
    const auto bytes = sent.raw();
    std::memcpy(c.memory + c.at, bytes.data(), bytes.size());
    if (c.circular) c.at = (c.at + int64_t(bytes.size())) % c.memoryBytes;
    return;
  }
  c.callback->fetch(sent.mutableRaw().data());
  c.callback->complete();
}

void HostStreams::requireRow(const graph::RemoteBuffer& buffer, int64_t row) const {
  if (row < 0 || row >= buffer.repeats)
    throw Error(ErrorCode::InvalidInput, "row " + std::to_string(row) + " does not exist",
                "remote buffer '" + buffer.handle + "'", "it has rows 0 to " + std::to_string(buffer.repeats - 1));
}

HostTensor HostStreams::readRow(const graph::RemoteBuffer& buffer, int64_t row) const {
  requireRow(buffer, row);
  const auto& rows = m_rows[m_firstBuffer + buffer.id];
  const auto found = rows.find(row);
  return found == rows.end() ? HostTensor(buffer.type, {buffer.elements}) : found->second;
}

void HostStreams::writeRow(const graph::RemoteBuffer& buffer, int64_t row, HostTensor value) {
  requireRow(buffer, row);
  m_rows[m_firstBuffer + buffer.id][row] = value.cast(buffer.type);
}

const graph::RemoteBuffer& HostStreams::remoteBuffer(const std::string& handle) const {
  for (const auto& b : m_graph->remoteBuffers())
    if (b.handle == handle) return b;
  throw Error(ErrorCode::NotFound, "the program has no remote buffer of this handle", handle);
}

} // namespace simcore::run

// The host's side of streams and remote buffers: the connection of each stream, prefetched transfers, and the rows of remote
// buffers. It also computes how long the program waits for callbacks. The host runs the callbacks of a stream one after the other
// while the program runs, so their time is hidden if there is prefetch and there are enough buffers.
#pragma once

#include "simcore/graph/graph.h"
#include "simcore/run/stream_callback.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simcore::run {

class HostStreams {
public:
  HostStreams(const graph::Graph& graph, bool prefetch);
  ~HostStreams();
  HostStreams(HostStreams&&) = default;

  // Connect a stream, replacing its earlier connection. Throw Error(NotFound) for an unknown handle.
  void connectValues(const std::string& stream, std::vector<numerics::HostTensor> values);
  void connectMemory(const std::string& stream, void* begin, int64_t bytes, bool circular);
  void connectCallback(const std::string& stream, std::unique_ptr<StreamCallback> callback);
  // Connects a stream of this replica only. Replicas without a connection of their own take transfers in turn from the connection
  // for all replicas. Throws Error(InvalidInput) for a replica whose numbers are not computed.
  void connectCallback(const std::string& stream, std::size_t replica, std::unique_ptr<StreamCallback> callback);
  const std::vector<numerics::HostTensor>& received(const std::string& stream) const;

  // A run of a program that uses these streams begins at this cycle.
  void beginRun(std::size_t program, const std::vector<uint32_t>& streams, int64_t cycle);
  // Called at the StreamCopyBegin (input) or StreamCopyEnd (output) of a stream; returns the cycles that the program waits.
  int64_t waitForData(uint32_t stream, int64_t cycle);
  int64_t waitForRoom(uint32_t stream, int64_t cycle);
  // Transfer once. Throw Error(InvalidInput) if nothing is connected.
  numerics::HostTensor fetch(uint32_t stream, int64_t cycle);
  void deliver(uint32_t stream, const numerics::HostTensor& value);

  // Gives every replica its own remote buffers; the first replica is selected.
  void setReplicas(int replicas) {
    m_replicas = std::size_t(replicas);
    m_rows.resize(m_replicas * m_graph->remoteBuffers().size());
  }
  void selectReplica(std::size_t replica) {
    m_replica = replica;
    m_firstBuffer = replica * m_graph->remoteBuffers().size();
  }

  // Rows of remote buffers; never-written rows are zero.
  numerics::HostTensor readRow(const graph::RemoteBuffer& buffer, int64_t row) const;
  void writeRow(const graph::RemoteBuffer& buffer, int64_t row, numerics::HostTensor value);
  bool hasRow(const graph::RemoteBuffer& buffer, int64_t row) const { return m_rows[m_firstBuffer + buffer.id].count(row) > 0; }
  const graph::RemoteBuffer& remoteBuffer(const std::string& handle) const;
  void requireRow(const graph::RemoteBuffer& buffer, int64_t row) const; // throws Error(InvalidInput) if it does not exist

private:
  struct Prefetched {
    std::vector<std::byte> bytes;
    int64_t ready = 0; // cycle
  };
  struct Connection {
    std::deque<numerics::HostTensor> values;
    std::vector<numerics::HostTensor> received;
    std::byte* memory = nullptr;
    int64_t memoryBytes = 0, at = 0;
    bool circular = false;
    std::unique_ptr<StreamCallback> callback;
    std::deque<Prefetched> prefetched;
    std::deque<int64_t> draining; // device to host: cycle at which the host has emptied each full buffer
    int64_t hostFree = 0;         // cycle at which the host has finished the last callback
    bool connected() const { return !values.empty() || memory || callback; }
  };
  uint32_t idOf(const std::string& stream) const;
  Connection& connectionOf(uint32_t stream); // of the selected replica
  int64_t transferBytes(uint32_t stream) const;
  void disconnect(Connection& c);
  void prefetchMore(uint32_t stream, int64_t cycle);

  const graph::Graph* m_graph;
  bool m_prefetch;
  std::size_t m_program = SIZE_MAX;
  std::vector<Connection> m_connections;
  std::map<std::pair<uint32_t, std::size_t>, Connection> m_ofReplicas; // by stream and replica
  std::vector<std::map<int64_t, numerics::HostTensor>> m_rows;         // by replica and remote buffer
  std::size_t m_replicas = 1, m_replica = 0;                           // the selected replica …
  std::size_t m_firstBuffer = 0;                                       // … and its first remote buffer
};

} // namespace simcore::run

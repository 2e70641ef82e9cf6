// Streams and remote buffers of a graph, identified by their handles on the host.
#pragma once

#include "poplar/DataStreamType.hpp"
#include "poplar/ReplicatedStreamMode.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <ostream>
#include <string>

namespace poplar {

class Graph;

class DataStream {
public:
  DataStream() = default; // belongs to no graph
  std::string handle() const { return m_handle; }
  DataStreamType type() const { return m_type; }
  std::size_t numElements() const { return m_elements; } // of one transfer
  Type elementType() const { return m_elementType; }
  ReplicatedStreamMode replicatedMode() const { return m_mode; }
  unsigned replicationFactor() const { return m_replicas; }
  unsigned id() const { return m_id; }
  bool operator==(const DataStream& other) const { return m_id == other.m_id && m_handle == other.m_handle; }
  bool operator!=(const DataStream& other) const { return !(*this == other); }

private:
  friend class Graph;
  std::string m_handle;
  DataStreamType m_type = DataStreamType::HostToDeviceFIFO;
  std::size_t m_elements = 0;
  Type m_elementType;
  ReplicatedStreamMode m_mode = ReplicatedStreamMode::REPLICATE;
  unsigned m_replicas = 1;
  unsigned m_id = ~0u;
};

// Rows of elements in the memory of the host that programs read and write themselves.
class RemoteBuffer {
public:
  RemoteBuffer() = default; // belongs to no graph
  std::string handle() const { return m_handle; }
  std::size_t numElements() const { return m_elements; } // of one row
  std::size_t getRepeats() const { return m_repeats; }   // rows
  Type elementType() const { return m_elementType; }
  bool isRearrangeOnHost() const { return m_rearrangeOnHost; }
  bool isOptimisedForMemory() const { return m_optimiseMemory; }
  unsigned id() const { return m_id; }
  bool operator==(const RemoteBuffer& other) const { return m_id == other.m_id && m_handle == other.m_handle; }
  bool operator!=(const RemoteBuffer& other) const { return !(*this == other); }

private:
  friend class Graph;
  std::string m_handle;
  std::size_t m_elements = 0, m_repeats = 1;
  Type m_elementType;
  bool m_rearrangeOnHost = false, m_optimiseMemory = false;
  unsigned m_id = ~0u;
};

std::ostream& operator<<(std::ostream& out, const DataStream& stream);
std::ostream& operator<<(std::ostream& out, const RemoteBuffer& buffer);

} // namespace poplar

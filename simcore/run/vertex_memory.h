// The memory of user vertices: the variables that they access, in the machine's format (a half has two bytes), in one block.
// Offsets of variables are the same for all replicas, so vertices are prepared once. Also holds data that vertices keep: changed
// state members, and each tile's global variables.
#pragma once

#include "simcore/codelets/xoroshiro.h"
#include "simcore/graph/graph.h"

#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace simcore::run {

class VertexMemory {
public:
  VertexMemory(const graph::Graph& graph, bool used); // `used` false: holds no variables
  VertexMemory(const VertexMemory& other);
  VertexMemory& operator=(const VertexMemory& other) { return *this = VertexMemory(other); }
  VertexMemory(VertexMemory&&) = default;
  VertexMemory& operator=(VertexMemory&&) = default;

  bool has(graph::VariableId id) const { return m_places[id.value()] >= 0; }
  int64_t placeOf(graph::VariableId id) const { return m_places[id.value()]; } // -1: elsewhere
  std::byte* begin() const { return m_bytes.get(); }
  bool sameAs(const VertexMemory& other) const;

  using Bytes = std::vector<std::byte>;
  using Globals = std::vector<graph::NativeBody::Global>;
  // State members of each vertex, by compute set and vertex; empty until the vertex changes one.
  std::map<std::size_t, std::vector<Bytes>> states;
  // Global variables of a library by tile; empty until one of its vertices runs on the tile.
  std::map<const Globals*, std::vector<Bytes>> globals;
  // Random number generators of codelets by tile and worker; empty until one is used.
  std::vector<std::vector<codelets::Xoroshiro128aox>> generators;
  uint64_t seed = 0;
  std::size_t replica = 0;

private:
  std::vector<int64_t> m_places; // by variable
  int64_t m_size = 0;
  std::shared_ptr<std::byte> m_bytes;
};

} // namespace simcore::run

#include "simcore/run/vertex_memory.h"

#include "reports/core/error.h"
#include "simcore/numerics/host_memory.h"

namespace simcore::run {

namespace {
constexpr int64_t kAlignment = 64; // of a variable
} // namespace

VertexMemory::VertexMemory(const graph::Graph& graph, bool used) : m_places(graph.variables().size(), -1) {
  if (!used) return;
  const auto place = [&](const graph::Region& r) {
    int64_t& at = m_places[r.variable.value()];
    if (at >= 0) return;
    const auto& variable = graph.variable(r.variable);
    at = m_size;
    m_size = reports::roundUp(m_size + variable.elements() * int64_t(numerics::hostSize(variable.type)), kAlignment);
  };
  for (const auto& set : graph.computeSets())
    for (const auto& v : set.vertices)
      for (const auto& edge : v.edges)
        if (edge.second.valid()) edge.second.forEachRegion(place);
  if (m_size == 0) return;
  m_bytes = numerics::zeroedMemory(std::size_t(m_size));
  if (!m_bytes)
    throw reports::Error(reports::ErrorCode::OutOfMemory,
                         "out of memory: the variables of vertices take " + std::to_string(m_size) + " bytes", "this computer",
                         "let fewer or smaller variables be connected to vertices");
}

VertexMemory::VertexMemory(const VertexMemory& other)
    : states(other.states), globals(other.globals), generators(other.generators), seed(other.seed), replica(other.replica),
      m_places(other.m_places), m_size(other.m_size) {
  if (m_size == 0) return;
  m_bytes = numerics::countedMemory(std::size_t(m_size));
  if (!m_bytes)
    throw reports::Error(reports::ErrorCode::OutOfMemory,
                         "out of memory: a copy of the vertices' data takes " + std::to_string(m_size) + " bytes",
                         "this computer", "run fewer replicas");
  std::memcpy(m_bytes.get(), other.m_bytes.get(), std::size_t(m_size));
}

bool VertexMemory::sameAs(const VertexMemory& other) const {
  return states == other.states && globals == other.globals && generators == other.generators &&
         (m_size == 0 || std::memcmp(m_bytes.get(), other.m_bytes.get(), std::size_t(m_size)) == 0);
}

} // namespace simcore::run

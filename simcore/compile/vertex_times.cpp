#include "simcore/compile/vertex_times.h"

#include "reports/core/error.h"

#include <map>

namespace simcore::compile {

using graph::Codelet;
using graph::UserVertex;

namespace {
constexpr std::size_t kMost = 1 << 16; // limit of cached estimates, so that vertices that all differ do not fill the memory
} // namespace

VertexEstimates::Estimate VertexEstimates::of(const UserVertex& v) {
  m_key.assign({int64_t(v.type), int64_t(v.cycles >= 0)});
  for (const auto& [field, tensor] : v.edges) {
    m_key.push_back(field);
    m_key.push_back(tensor.numElements());
  }
  for (const auto& s : v.state) {
    m_key.push_back(-1 - (int64_t(s.field) << 32 | int64_t(s.element)));
    m_key.push_back(int64_t(s.number()));
  }
  auto it = m_known.find(m_key);
  if (it == m_known.end()) {
    if (m_known.size() >= kMost) m_known.clear();
    it = m_known.emplace(m_key, ask(v)).first;
  }
  Estimate e = it->second;
  if (v.cycles >= 0) e.cycles = v.cycles;
  return e;
}

VertexEstimates::Estimate VertexEstimates::ask(const UserVertex& v) const {
  const Codelet& codelet = m_graph.codeletOf(v);
  std::map<std::string, int64_t> sizes;
  for (const auto& [field, tensor] : v.edges) {
    const auto& f = codelet.fields[field];
    sizes[f.name] += tensor.numElements();
    if (f.shape == graph::FieldShape::VectorList) ++sizes[f.name + "[]"]; // number of its vectors
  }
  for (const auto& s : v.state)
    if (codelet.state[s.field].count == 1) sizes[codelet.state[s.field].name] = int64_t(s.number());
  Estimate e;
  if (codelet.cycles && v.cycles < 0) e.cycles = codelet.cycles(sizes);
  if (codelet.flops) e.flops = codelet.flops(sizes);
  if (e.cycles < 0 || e.flops < 0)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "a vertex is estimated at " + std::to_string(e.cycles) + " cycles and " + std::to_string(e.flops) +
                             " FLOPs",
                         codelet.name, "neither can be negative");
  return e;
}

} // namespace simcore::compile

#include "simcore/compile/race_check.h"

#include "reports/core/error.h"

#include <algorithm>
#include <tuple>

namespace simcore::compile {

namespace {

struct Touch {
  graph::Region region;
  uint32_t vertex;
  bool write;
};

[[noreturn]] void race(const graph::Graph& graph, const graph::ComputeSet& set, const Touch& a, const Touch& b) {
  const auto vertexName = [&](const Touch& t) {
    return "vertex " + std::to_string(t.vertex) + " (" + graph.vertexTypes()[set.vertices[t.vertex].type].name + ", " +
           (t.write ? "writes" : "reads") + ")";
  };
  const int64_t begin = std::max(a.region.begin, b.region.begin), end = std::min(a.region.end, b.region.end);
  throw reports::Error(reports::ErrorCode::InvalidInput,
                       "elements [" + std::to_string(begin) + ", " + std::to_string(end) + ") of variable '" +
                           graph.variable(a.region.variable).name + "' are touched by " + vertexName(a) + " and " + vertexName(b),
                       "compute set '" + set.name + "'", "vertices of one compute set run in no order: split it in two");
}

} // namespace

void requireNoRaces(const graph::Graph& graph, const graph::ComputeSet& set) {
  std::vector<Touch> touches;
  bool anyWrite = false;
  for (uint32_t v = 0; v < set.vertices.size(); ++v) {
    const auto& codelet = graph.codelets()[std::size_t(graph.vertexTypes()[set.vertices[v].type].codelet)];
    for (const auto& [field, tensor] : set.vertices[v].edges) {
      const bool write = codelet.fields[field].direction != graph::FieldDirection::Input;
      anyWrite |= write;
      for (const auto& r : tensor.contiguousRegions()) touches.push_back({r, v, write});
    }
  }
  if (!anyWrite) return;
  std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
    return std::tie(a.region.variable, a.region.begin, a.vertex) < std::tie(b.region.variable, b.region.begin, b.vertex);
  });
  // Sweep: of what came before, only the farthest-reaching write and the two farthest-reaching touches of different vertices
  // can still collide.
  const Touch* farWrite = nullptr;
  const Touch *far = nullptr, *farOther = nullptr;
  for (const Touch& t : touches) {
    if (far && far->region.variable != t.region.variable) farWrite = far = farOther = nullptr;
    const auto collides = [&](const Touch* p) {
      return p && p->vertex != t.vertex && p->region.end > t.region.begin && (p->write || t.write);
    };
    for (const Touch* p : {farWrite, t.write ? far : nullptr, t.write ? farOther : nullptr})
      if (collides(p)) race(graph, set, *p, t);
    if (t.write && (!farWrite || t.region.end > farWrite->region.end)) farWrite = &t;
    if (!far || t.region.end > far->region.end) {
      if (far && far->vertex != t.vertex) farOther = far;
      far = &t;
    } else if (t.vertex != far->vertex && (!farOther || t.region.end > farOther->region.end)) {
      farOther = &t;
    }
  }
}

} // namespace simcore::compile

#include "simcore/compile/race_check.h"

#include "reports/core/error.h"
#include "simcore/compile/stop_check.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace simcore::compile {

using graph::VariableId;

namespace {

struct Touch {
  int64_t begin, end; // elements of the variable
  uint32_t vertex;
  bool write;
};

[[noreturn]] void race(const graph::Graph& graph, const graph::ComputeSet& set, VariableId variable, const Touch& a,
                       const Touch& b) {
  const auto vertexName = [&](const Touch& t) {
    return "vertex " + std::to_string(t.vertex) + " (" + graph.vertexTypes()[set.vertices[t.vertex].type].name + ", " +
           (t.write ? "writes" : "reads") + ")";
  };
  const int64_t begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
  throw reports::Error(reports::ErrorCode::InvalidInput,
                       "elements [" + std::to_string(begin) + ", " + std::to_string(end) + ") of variable '" +
                           graph.fullName(variable) + "' are used by both " + vertexName(a) + " and " + vertexName(b),
                       "compute set '" + graph.pathOf(set) + "'", "vertices of one compute set run in no order: split it in two");
}

// Checks the touches of one variable, which are in order of their first elements.
void sweep(const graph::Graph& graph, const graph::ComputeSet& set, VariableId variable, const std::vector<Touch>& touches) {
  // An access can only collide with the earlier write that reaches farthest, or with the two earlier touches of different
  // vertices that reach farthest.
  const Touch* farWrite = nullptr;
  const Touch *far = nullptr, *farOther = nullptr;
  for (const Touch& t : touches) {
    // A vertex may read elements that it also writes, in its own order, but it must not write an element through two fields.
    const auto collides = [&](const Touch* p) {
      return p && p->end > t.begin && (p->vertex == t.vertex ? p->write && t.write : p->write || t.write);
    };
    for (const Touch* p : {farWrite, t.write ? far : nullptr, t.write ? farOther : nullptr})
      if (collides(p)) race(graph, set, variable, *p, t);
    if (t.write && (!farWrite || t.end > farWrite->end)) farWrite = &t;
    if (!far || t.end > far->end) {
      if (far && far->vertex != t.vertex) farOther = far;
      far = &t;
    } else if (t.vertex != far->vertex && (!farOther || t.end > farOther->end)) {
      farOther = &t;
    }
  }
}

} // namespace

void requireNoRaces(const graph::Graph& graph, const graph::ComputeSet& set, const std::stop_token& stop) {
  struct Variable {
    std::vector<Touch> touches;
    bool written = false;
  };
  std::map<VariableId, Variable> variables;
  const auto writes = [&](const graph::UserVertex& v, uint16_t field) {
    return graph.codeletOf(v).fields[field].direction != graph::FieldDirection::Input;
  };
  StopCheck check(stop);
  for (const auto& v : set.vertices) {
    check();
    for (const auto& [field, view] : v.edges)
      if (writes(v, field)) view.forEachRegion([&](const graph::Region& r) { variables[r.variable].written = true; });
  }
  if (variables.empty()) return;
  for (uint32_t i = 0; i < set.vertices.size(); ++i) {
    check();
    for (const auto& [field, view] : set.vertices[i].edges) {
      const bool write = writes(set.vertices[i], field);
      view.forEachRegion([&](const graph::Region& r) {
        const auto it = variables.find(r.variable); // read-only variables have no races
        if (it != variables.end()) it->second.touches.push_back({r.begin, r.end, i, write});
      });
    }
  }
  const auto order = [](const Touch& a, const Touch& b) {
    return std::tie(a.begin, a.vertex, a.end, a.write) < std::tie(b.begin, b.vertex, b.end, b.write);
  };
  for (auto& [id, variable] : variables) {
    reports::throwIfStopped(stop);
    if (!std::is_sorted(variable.touches.begin(), variable.touches.end(), order))
      tbb::parallel_sort(variable.touches.begin(), variable.touches.end(), order);
    sweep(graph, set, id, variable.touches);
    variable.touches = {};
  }
}

} // namespace simcore::compile

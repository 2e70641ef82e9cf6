// The subject of a table row: a variable, a step, an operation … of a report. `subjectsOf(row)` is declared next to the columns
// of the rows, so that all tables with these rows offer the same links.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace analyser::columns {

enum class Thing { Variable, Step, Operation, Tile, VertexType, ComputeSet, Category, Region }; // Category, Region: of memory
std::string_view titleOf(Thing thing);                                                          // "variable"

struct Subject {
  enum class In { Shown, Base, Other }; // Shown: the shown report; Base and Other: reports A and B of a comparison
  Thing thing{};
  int64_t id = -1;       // its row id in the report, or the memory category; -1: only its name is known
  std::string name = {}; // needed without an id
  In in = In::Shown;
  bool operator==(const Subject&) const = default;
};
using Subjects = std::vector<Subject>; // the main subject of the row first

// The subject with this id; empty if the id is invalid.
template<class Id> Subjects about(Thing thing, Id id) { return id.valid() ? Subjects{{thing, int64_t(id.value())}} : Subjects(); }
// The same subject in two compared reports.
template<class Id> Subjects aboutBoth(Thing thing, Id base, Id other) {
  Subjects subjects;
  if (base.valid()) subjects.push_back({thing, int64_t(base.value()), {}, Subject::In::Base});
  if (other.valid()) subjects.push_back({thing, int64_t(other.value()), {}, Subject::In::Other});
  return subjects;
}

} // namespace analyser::columns

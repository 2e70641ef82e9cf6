// The subject of a table row: a variable, a step, an operation … of a report. `subjectsOf(row)` is declared once beside the columns of the
// rows, so that every table with such rows leads to the same places.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace analyser::columns {

enum class Thing { Variable, Step, Operation, Tile, VertexType, ComputeSet };
std::string_view titleOf(Thing thing); // "variable"

struct Subject {
  enum class In { Shown, Base, Other }; // the report; of a comparison A or B
  Thing thing{};
  int64_t id = -1;       // its row in the report; -1: only its name is known
  std::string name = {}; // needed without an id
  In in = In::Shown;
  bool operator==(const Subject&) const = default;
};
using Subjects = std::vector<Subject>; // the one that the row is mainly about first

// The subject with an id; none if the id is not valid.
template<class Id> Subjects about(Thing thing, Id id) { return id.valid() ? Subjects{{thing, int64_t(id.value())}} : Subjects(); }
// The same thing of two compared reports.
template<class Id> Subjects aboutBoth(Thing thing, Id base, Id other) {
  Subjects subjects;
  if (base.valid()) subjects.push_back({thing, int64_t(base.value()), {}, Subject::In::Base});
  if (other.valid()) subjects.push_back({thing, int64_t(other.value()), {}, Subject::In::Other});
  return subjects;
}

} // namespace analyser::columns

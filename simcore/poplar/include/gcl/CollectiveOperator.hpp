// How collectives combine the values of their members.
#pragma once

#include <istream>
#include <ostream>

namespace gcl {

enum class CollectiveOperator {
  ADD,
  MEAN,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND, // only of BOOL
  LOGICAL_OR,  // only of BOOL
  SQUARE_ADD,
  LOCAL // each replica's own
};
std::istream& operator>>(std::istream& in, CollectiveOperator& op);
std::ostream& operator<<(std::ostream& out, const CollectiveOperator& op);

} // namespace gcl

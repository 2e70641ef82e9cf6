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
  LOGICAL_AND, // only for BOOL
  LOGICAL_OR,  // only for BOOL
  SQUARE_ADD,
  LOCAL // each replica keeps its own value
};
std::istream& operator>>(std::istream& in, CollectiveOperator& op);
std::ostream& operator<<(std::ostream& out, const CollectiveOperator& op);

} // namespace gcl

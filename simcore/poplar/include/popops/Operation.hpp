// The operations of reductions, and their names in text.
#pragma once

#include "popops/OperationDef.hpp"

#include <iosfwd>

namespace popops {

std::istream& operator>>(std::istream& in, Operation& operation);
std::ostream& operator<<(std::ostream& out, const Operation& operation);

} // namespace popops

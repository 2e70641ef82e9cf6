// The default mapping of a new variable.
#pragma once

#include <ostream>

namespace poplar {

enum class VariableMappingMethod {
  NONE,  // on no tile
  LINEAR // in equal shares over the tiles
};
std::ostream& operator<<(std::ostream& out, const VariableMappingMethod& method);

} // namespace poplar

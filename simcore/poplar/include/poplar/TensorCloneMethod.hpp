// What a clone of a tensor keeps of the way its elements lie in memory.
#pragma once

#include <ostream>

namespace poplar {

enum class TensorCloneMethod {
  PRESERVE_ORDER_AND_ALIASES, // in the order of the original, elements that were one stay one
  CREATE_NEW_ORDER,           // in the order of the tensor
  PRESERVE_ORDER_UNLESS_ALIASES,
  GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};
std::ostream& operator<<(std::ostream& out, const TensorCloneMethod& method);

} // namespace poplar

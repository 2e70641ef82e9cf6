// How a clone of a tensor orders its elements in memory.
#pragma once

#include <ostream>

namespace poplar {

enum class TensorCloneMethod {
  PRESERVE_ORDER_AND_ALIASES, // in the order of the original; here, aliased elements become separate
  CREATE_NEW_ORDER,           // in the order of the tensor
  PRESERVE_ORDER_UNLESS_ALIASES,
  GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};
// The order of cloneN's copies in memory. Without effect: each element is on the tile of the original.
enum class TensorCloneDuplicationMethod { DUPLICATE_BY_OUTER_DIMENSION, DUPLICATE_BY_TILE_CONTIGUOUS_REGION };
std::ostream& operator<<(std::ostream& out, const TensorCloneMethod& method);

} // namespace poplar

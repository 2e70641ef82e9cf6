// The layout of results whose elements are moved or added one by one. An element takes equally many cycles in any type. So a tile
// has at least as many halves as it would have floats, and not twice as many, as the linear mapping's minimum of bytes per tile
// would require (ipu-reference 8).
#pragma once

#include "simcore/ops/op_builder.h"

#include <algorithm>

namespace simcore::ops {

inline Distribution layoutOfSingleElements(const OpBuilder& b, int64_t elements, ElementType type) {
  const int64_t size = elementBytes(type), word = elementBytes(ElementType::Float);
  return Distribution::linear(std::max<int64_t>(1, elements), size, 0, b.tileRange(),
                              std::max<int64_t>(1, b.tile().dataPathBytes / size),
                              b.machine().leastLinearBytes * std::min(size, word) / word);
}

} // namespace simcore::ops

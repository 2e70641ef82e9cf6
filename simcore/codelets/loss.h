// Worker vertices of losses and of selecting the largest class. Source: ipu-reference 9.5 (popnn popnnCycleEstimators).
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

enum class LossKind { SumSquared, CrossEntropy };
// Loss and gradient of `elements` predictions.
VertexSpec lossTransformSpec(LossKind kind, ElementType type);
VertexCost lossTransform(const arch::TileArchitecture& tile, LossKind kind, ElementType type, int64_t elements);
// Finds the largest of `elements` values and its index.
VertexSpec argMaxSpec(ElementType type);
VertexCost argMax(const arch::TileArchitecture& tile, ElementType type, int64_t elements);
// Finds the largest of `elements` values with all workers of the tile: each writes the largest value of its share and the value's
// index.
VertexSpec argMaxSharedSpec(ElementType type);
VertexCost argMaxShared(const arch::TileArchitecture& tile, ElementType type, int64_t elements);

} // namespace simcore::codelets

// Activation functions of networks, forward and gradient. They have hand-written loops and are cheaper than the same function as
// a popops unary operation. Source: ipu-reference 9.5 (popnn popnnCycleEstimators).
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/vertex_cost.h"

namespace simcore::codelets {

enum class NonLinearity { Relu, Sigmoid, Tanh, Gelu, GeluErf, Swish };
const char* nonLinearityName(NonLinearity kind);

// MultiVertex over a contiguous region.
VertexSpec nonLinearity1DSpec(NonLinearity kind, ElementType type, Placement where = Placement::OutOfPlace);
VertexCost nonLinearity1D(const arch::TileArchitecture& tile, NonLinearity kind, ElementType type, int64_t elements,
                          Placement where = Placement::OutOfPlace);
// MultiVertex: the gradient of the input, from the gradient of the output and the output (for gelu and swish the input).
VertexSpec nonLinearityGrad1DSpec(NonLinearity kind, ElementType type);
VertexCost nonLinearityGrad1D(const arch::TileArchitecture& tile, NonLinearity kind, ElementType type, int64_t elements);

} // namespace simcore::codelets

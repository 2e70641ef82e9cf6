// Vertices that fill tensors with random numbers. All are MultiVertices (tile cycles). The published estimator for uniform
// numbers assumes vectors of 32 (fp32) or 16 (fp16) elements, wider than the assembly handles. `Published` uses that, to match
// published profiles; `Hardware` (the default) counts the actual assembly. Source: ipu-reference 9.6.
#pragma once

#include "simcore/arch/machine.h"
#include "simcore/codelets/vertex_cost.h"
#include "simcore/numerics/element_type.h"

namespace simcore::codelets {

using numerics::ElementType;

enum class RandomKind { Uniform, Normal, TruncatedNormal, Bernoulli, Dropout };
enum class RandomModel { Hardware, Published };

struct RandomOptions {
  RandomModel model = RandomModel::Hardware;
  int64_t truncationIterations = 4; // attempts of a truncated normal per vector
  bool fullRangeInteger = false;    // uniform integers over all values, which need no multiplication
};
VertexSpec randomSpec(RandomKind kind, ElementType type);
VertexCost random(const arch::TileArchitecture& tile, RandomKind kind, ElementType type, int64_t elements,
                  RandomOptions options = {});
// Seeds the generators of all six workers.
VertexSpec setSeedSpec();
VertexCost setSeed(const arch::TileArchitecture& tile);

} // namespace simcore::codelets

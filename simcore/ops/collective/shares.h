// Replicated tensor sharding on one replica: a variable that has the numbers of the whole tensor, but ceil(n / R) elements on the
// machine. Replicas are identical and one is simulated, so its numbers must be those of all shares together, while
// memory, time and traffic are those of one share.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Makes a variable that is on no tile yet such a share, spread linearly over the tiles of the IPU.
void makeShare(const OpBuilder& builder, const Tensor& variable, int64_t shards);
// A new one.
Tensor addShare(const OpBuilder& builder, ElementType type, const Shape& shape, const std::string& name, int64_t shards);
// The elements that are there, as ops plan with them.
Tensor heldPart(const Tensor& share, int64_t shards);

} // namespace simcore::ops

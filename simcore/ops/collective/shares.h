// Replicated tensor sharding on one replica: a variable with the numbers of the whole tensor, but only ceil(n / R) elements on
// the machine. Replicas are identical and one is simulated, so its numbers must be those of all shares together, while memory,
// time and traffic count one share.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Makes an unmapped variable a share, spread linearly over the tiles of the IPU.
void makeShare(const OpBuilder& builder, const Tensor& variable, int64_t shards);
// Adds a new variable as a share.
Tensor addShare(const OpBuilder& builder, ElementType type, const Shape& shape, const std::string& name, int64_t shards);
// The elements that are on this replica, for the planning of ops.
Tensor heldPart(const Tensor& share, int64_t shards);

} // namespace simcore::ops

// Replicated tensor sharding on one replica: a variable that stands for a whole tensor in numbers and holds ceil(n / R) elements
// on the machine. Replicas are identical and one is simulated, so its numbers must be those of all shares together, while
// memory, time and traffic are those of one.
#pragma once

#include "simcore/model/operators/family.h"

namespace simcore::model {

// Replicas that share a variable; 1: every one has all of it.
inline std::int64_t shardsOf(const NodeLowering& n) { return n.call().attributes().integer("shards", 1); }

inline std::int64_t shareOf(std::int64_t elements, std::int64_t shards) { return reports::ceilDiv(elements, shards); }

// Makes a variable that is on no tile yet such a share, spread linearly over the tiles of the IPU.
void makeShare(const ops::OpBuilder& builder, const graph::Tensor& variable, std::int64_t shards);
// A new one.
graph::Tensor addShare(const ops::OpBuilder& builder, numerics::ElementType type, const numerics::Shape& shape,
                       const std::string& name, std::int64_t shards);
// The elements that are there, as ops plan with them.
graph::Tensor heldPart(const graph::Tensor& share, std::int64_t shards);

} // namespace simcore::model

#include "simcore/model/state_shards.h"

namespace simcore::model {

void makeShare(const ops::OpBuilder& b, const graph::Tensor& variable, std::int64_t shards) {
  auto& v = b.graph().variable(variable.wholeVariable());
  v.distribution = b.linear(v.elements(), v.type);
  const graph::Distribution held({shareOf(v.elements(), shards)}, {v.distribution.cells()}, {1}, 0, b.tileRange());
  v.extraBytes = {};
  for (const auto& r : held.elementsByTile().runs())
    v.extraBytes.add(r.tiles, reports::roundUp(r.value * ops::elementBytes(v.type), 4));
}

graph::Tensor addShare(const ops::OpBuilder& b, numerics::ElementType type, const numerics::Shape& shape, const std::string& name,
                       std::int64_t shards) {
  const graph::Tensor share = b.graph().addVariable(type, shape, name, b.context());
  makeShare(b, share, shards);
  return share;
}

graph::Tensor heldPart(const graph::Tensor& share, std::int64_t shards) {
  return share.flatten().slice(0, shareOf(share.numElements(), shards));
}

} // namespace simcore::model

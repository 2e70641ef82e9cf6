#include "simcore/model/parallel/state_shards.h"

namespace simcore::model {

void makeShare(const ops::OpBuilder& b, const graph::Tensor& variable, std::int64_t shards) {
  auto& v = b.graph().variable(variable.wholeVariable());
  const std::int64_t elements = v.elements(), held = std::min(elements, shareOf(elements, shards));
  const graph::Distribution spread = b.linear(held, v.type);
  v.mapping.clear();
  for (std::int64_t c = 0; c < spread.cells(); ++c)
    v.mapping.push_back({spread.cell(c).dims[0].begin, reports::TileId(std::size_t(spread.tileOf(c)))});
  // What the other replicas hold is nowhere here; it is counted on a tile only because every element must be.
  if (held < elements) v.mapping.push_back({held, reports::TileId(std::size_t(spread.tileOf(0)))});
  v.extraBytes = {};
  for (const auto& r : spread.elementsByTile().runs())
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

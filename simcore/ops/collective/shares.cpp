#include "simcore/ops/collective/shares.h"

#include "reports/core/units.h"

namespace simcore::ops {

namespace {
int64_t shareOf(int64_t elements, int64_t shards) { return reports::ceilDiv(elements, shards); }
} // namespace

void makeShare(const OpBuilder& b, const Tensor& variable, int64_t shards) {
  auto& v = b.graph().variable(variable.wholeVariable());
  const int64_t elements = v.elements(), held = std::min(elements, shareOf(elements, shards));
  const Distribution spread = b.linear(held, v.type);
  v.mapping.clear();
  for (int64_t c = 0; c < spread.cells(); ++c)
    v.mapping.push_back({spread.cell(c).dims[0].begin, reports::TileId(std::size_t(spread.tileOf(c)))});
  // The elements of other replicas' shares are not on this machine. They are mapped to one tile, because every element must be
  // mapped.
  if (held < elements) v.mapping.push_back({held, reports::TileId(std::size_t(spread.tileOf(0)))});
  v.extraBytes = {};
  for (const auto& r : spread.elementsByTile().runs())
    v.extraBytes.add(r.tiles, reports::roundUp(r.value * elementBytes(v.type), 4));
}

Tensor addShare(const OpBuilder& b, ElementType type, const Shape& shape, const std::string& name, int64_t shards) {
  const Tensor share = b.graph().addVariable(type, shape, name, b.context());
  makeShare(b, share, shards);
  return share;
}

Tensor heldPart(const Tensor& share, int64_t shards) { return share.flatten().slice(0, shareOf(share.numElements(), shards)); }

} // namespace simcore::ops

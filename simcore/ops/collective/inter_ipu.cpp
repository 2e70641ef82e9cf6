#include "simcore/ops/collective/inter_ipu.h"

#include "reports/core/units.h"
#include "simcore/graph/variable_moves.h"

#include <algorithm>
#include <iterator>

namespace simcore::ops {

namespace {

// The first tile of a variable, or -1.
int64_t firstTileOf(const graph::Variable& v) {
  if (!v.extraBytes.empty()) return v.extraBytes.runs().front().tiles.begin;
  if (v.distribution.valid()) return v.distribution.tiles().begin;
  for (const auto& run : v.mapping)
    if (run.tile.valid()) return int64_t(run.tile.value());
  return -1;
}

PerTile bytesOf(const Distribution& layout, ElementType type) {
  PerTile bytes;
  for (const auto& r : layout.elementsByTile().runs()) bytes.add(r.tiles, reports::roundUp(r.value * elementBytes(type), 4));
  return bytes;
}

} // namespace

bool isElsewhere(const Graph& graph, const Tensor& tensor, int ipu) {
  if (graph.machine().ipus == 1 && ipu == 0) return false;
  for (const auto id : tensor.variables())
    if (const int64_t tile = firstTileOf(graph.variable(id)); tile >= 0 && tile / graph.machine().tilesPerIpu != ipu) return true;
  return false;
}

int ipuOf(const Graph& graph, const Tensor& tensor) {
  // A part of a variable that a program spread over IPUs is where its own first element is.
  if (tensor.valid() && tensor.numElements() > 0 && !tensor.wholeVariable().valid()) {
    const graph::Region first = tensor.flatten().slice(0, 1).contiguousRegions().front();
    const auto& mapping = graph.variable(first.variable).mapping;
    const auto behind = std::upper_bound(mapping.begin(), mapping.end(), first.begin,
                                         [](int64_t element, const graph::MappingRun& run) { return element < run.begin; });
    if (!graph.variable(first.variable).distribution.valid() && behind != mapping.begin() && std::prev(behind)->tile.valid())
      return int(int64_t(std::prev(behind)->tile.value()) / graph.machine().tilesPerIpu);
  }
  for (const auto id : tensor.variables())
    if (const int64_t tile = firstTileOf(graph.variable(id)); tile >= 0) return int(tile / graph.machine().tilesPerIpu);
  return -1;
}

Tensor destinationOn(const OpBuilder& builder, const Tensor& tensor, int toIpu, const std::string& name) {
  const OpBuilder there = builder.onIpu(toIpu);
  if (const auto id = tensor.wholeVariable(); id.valid()) {
    const auto& v = builder.graph().variable(id);
    if (v.distribution.valid() && v.distribution.tiles().size() == there.tileRange().size()) {
      const Distribution layout = v.distribution.movedTo(there.tileRange());
      const Shape shape = v.shape; // the layout belongs to the variable's own shape
      return there.output(tensor.elementType(), shape, name, layout).reshape(tensor.shape());
    }
  }
  return there.output(tensor.elementType(), tensor.shape(), name, there.linear(tensor.numElements(), tensor.elementType()));
}

namespace {

// Pairs of a copy that has the mapping of its source, but on another IPU: each tile sends its part to the tile at the same
// position. Empty for other copies.
graph::Pairs tileToTile(const PerTile& out, const PerTile& in) {
  graph::Pairs pairs;
  if (out.empty() || out.runs().size() != in.runs().size()) return pairs;
  const int64_t distance = in.runs().front().tiles.begin - out.runs().front().tiles.begin;
  for (std::size_t i = 0; i < in.runs().size(); ++i) {
    const auto &from = out.runs()[i], &to = in.runs()[i];
    if (from.value != to.value || from.tiles.size() != to.tiles.size() || from.tiles.begin + distance != to.tiles.begin)
      return {};
    pairs.push_back({int32_t(to.tiles.begin), int32_t(to.tiles.size()), int32_t(from.tiles.begin), 1, 1, 1, from.value});
  }
  return pairs;
}

// The pairs of a copy, if its tensors are whole variables with the same layout.
graph::Pairs pairsOf(const OpBuilder& from, const OpBuilder& to, const IpuCopy& copy, const PerTile& out, const PerTile& in) {
  if (!from.graph().keepsPairs() || !copy.from.wholeVariable().valid() || !copy.to.wholeVariable().valid()) return {};
  const Distribution& source = std::as_const(from.graph()).variable(copy.from.wholeVariable()).distribution;
  const Distribution& destination = std::as_const(to.graph()).variable(copy.to.wholeVariable()).distribution;
  if (!source.valid() || !destination.sameAs(source.movedTo(destination.tiles()))) return {};
  return tileToTile(out, in);
}

// `b`: the builder inside the copying operation.
void addCopies(const OpBuilder& b, const std::vector<IpuCopy>& copies) {
  std::vector<Tensor> from, to;
  Traffic traffic;
  std::vector<graph::VariableMove> moves;
  for (const IpuCopy& copy : copies) {
    const int source = std::max(0, ipuOf(b.graph(), copy.from)), destination = std::max(0, ipuOf(b.graph(), copy.to));
    const OpBuilder there = b.onIpu(destination), here = b.onIpu(source);
    Traffic one;
    one.linkBytesOut = bytesOf(here.layoutOf(copy.from), copy.from.elementType());
    one.linkBytesIn = bytesOf(there.layoutOf(copy.to), copy.to.elementType());
    one.linkFlows.push_back({source, destination, one.linkBytesOut.sum()});
    if (source != destination) one.linkPairs = pairsOf(here, there, copy, one.linkBytesOut, one.linkBytesIn);
    traffic.add(one);
    const auto own = graph::movesOf(copy.from, copy.to);
    moves.insert(moves.end(), own.begin(), own.end());
    from.push_back(copy.from);
    to.push_back(copy.to);
  }
  b.exchange("copy", from, to, traffic, {}, 1, moves);
  b.compute(from, to, [](const std::vector<numerics::HostTensor>& values) { return values; });
}

} // namespace

void interIpuCopies(const OpBuilder& builder, const std::string& name, const std::vector<IpuCopy>& copies) {
  if (!copies.empty()) addCopies(builder.within(name, "IpuCopy"), copies);
}

Tensor interIpuCopy(const OpBuilder& builder, const Tensor& tensor, int toIpu, const std::string& name) {
  const OpBuilder b = builder.within(name, "IpuCopy");
  const Tensor copy = destinationOn(b, tensor, toIpu, "copy");
  addCopies(b, {{tensor, copy}});
  return copy;
}

} // namespace simcore::ops

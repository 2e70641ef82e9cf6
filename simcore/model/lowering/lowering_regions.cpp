// Regions of feature maps, and elements that go back where a maximum pool found them.
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/layout.h"

#include <algorithm>

namespace simcore::model {

using graph::Tensor;
using numerics::Shape;

namespace {

void lowerRoiAlign(NodeLowering& n) {
  n.give(ops::alignRegions(n.parts(), n.input(0), n.input(1), n.input(2), regionParameters(n.call())));
}
void lowerMaxRoiPool(NodeLowering& n) {
  n.give(ops::maxPoolRegions(n.parts(), n.input(0), n.input(1), regionParameters(n.call())));
}

// Places that come straight from a maximum pool of that size never leave their plane.
bool comeFromPool(const NodeLowering& n, const std::string& places, const Shape& pooled) {
  const auto& nodes = n.scope().source().nodes;
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) {
    return node.opType == "MaxPool" && node.outputs.size() > 1 && node.outputs[1] == places &&
           n.scope().type(node.inputs[0]).shape == pooled && n.scope().type(places).shape == n.call().shape(0);
  });
}

void lowerMaxUnpool(NodeLowering& n) {
  const Shape from = pooledShape(n.call()), &to = n.outputShape();
  const Tensor x = n.input(0), places = n.input(1);
  const std::int64_t planes = from[0] * from[1], each = x.numElements() / planes;
  const Tensor y = ops::unpool(n.parts(), x.reshape({planes, each}), places.reshape({planes, each}),
                               numerics::elementCount(from, 2, from.size()), comeFromPool(n, n.node().inputs[1], from));
  if (to == from) return n.give(y);
  std::vector<std::int64_t> before(from.size(), 0), after(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) after[i] = to[i] - from[i];
  n.give(ops::move(n.parts(), "Pad", {y.reshape(from)}, n.outputType(), to, std::max<std::int64_t>(1, to.back()),
                   {partKernel(n, [before, after](const std::vector<numerics::HostTensor>& in) {
                     return numerics::pad(in[0], before, after, numerics::PadMode::Constant, nullptr);
                   })}));
}

constexpr LoweringEntry kRegionLowerings[] = {
    {"RoiAlign", lowerRoiAlign},
    {"MaxRoiPool", lowerMaxRoiPool},
    {"MaxUnpool", lowerMaxUnpool},
};

} // namespace

std::span<const LoweringEntry> regionLowerings() { return kRegionLowerings; }

} // namespace simcore::model

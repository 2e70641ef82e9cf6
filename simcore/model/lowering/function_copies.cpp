#include "simcore/model/lowering/function_copies.h"

#include "simcore/codelets/copy.h"

namespace simcore::model {

using graph::Tensor;
using numerics::HostTensor;

const graph::Variable& variableOf(const graph::Graph& g, const Tensor& whole) { return g.variable(whole.wholeVariable()); }
bool isWholeWithLayout(const graph::Graph& g, const Tensor& t) {
  return t.wholeVariable().valid() && variableOf(g, t).distribution.valid() && variableOf(g, t).extraBytes.empty();
}

namespace {
graph::PerTile copyCycles(const ops::OpBuilder& b, const Tensor& to) {
  const std::int64_t size = ops::elementBytes(to);
  graph::PerTile cycles;
  for (const auto& r : b.layoutOf(to).elementsByTile().runs())
    cycles.add(r.tiles, codelets::memcpyCycles(b.tile(), r.value * size, size >= 4 ? 8 : 4).cycles.value());
  return cycles;
}
} // namespace

void copyAlike(const ops::OpBuilder& b, const std::vector<Tensor>& from, const std::vector<Tensor>& to) {
  graph::PerTile cycles;
  for (const Tensor& t : to) cycles.add(copyCycles(b, t));
  b.exchange("copy", from, to, graph::Traffic(), cycles, std::int64_t(to.size()));
  b.compute(from, to, [](const std::vector<HostTensor>& values) { return values; });
}

void copyInto(const ops::OpBuilder& b, const Tensor& from, const Tensor& to) {
  const graph::Distribution source = b.layoutOf(from), target = b.layoutOf(to);
  const std::int64_t size = ops::elementBytes(to);
  const bool alike = isWholeWithLayout(b.graph(), from) && isWholeWithLayout(b.graph(), to) &&
                     variableOf(b.graph(), from).distribution.sameAs(variableOf(b.graph(), to).distribution);
  b.exchange("copy", {from}, {to}, alike ? graph::Traffic() : graph::trafficBlind(source, target.elementsByTile(), size),
             copyCycles(b, to));
  b.compute({from}, {to}, [](const std::vector<HostTensor>& values) { return values; });
}

// A variable that lies as `tensor` does.
Tensor variableLike(const ops::OpBuilder& b, const Tensor& tensor, const std::string& name) {
  if (isWholeWithLayout(b.graph(), tensor)) {
    const auto& v = variableOf(b.graph(), tensor);
    const numerics::Shape shape = v.shape;
    const graph::Distribution layout = v.distribution;
    return b.output(tensor.elementType(), shape, name, layout).reshape(tensor.shape());
  }
  return b.output(tensor.elementType(), tensor.shape(), name, b.linear(tensor.numElements(), tensor.elementType()));
}

} // namespace simcore::model

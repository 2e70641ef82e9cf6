#include "simcore/ops/move/copies.h"

#include "reports/core/error.h"
#include "simcore/codelets/copy.h"

#include <algorithm>

namespace simcore::ops {

using numerics::HostTensor;

namespace {
// `n` elements of one value along `dimension` of x: a view that repeats a constant of one element.
Tensor margin(const Tensor& value, const Tensor& x, std::size_t dimension, int64_t n) {
  Shape shape = x.shape();
  shape[dimension] = n;
  const int64_t elements = numerics::elementCount(shape);
  return (elements ? value.broadcast(elements, 0) : value.slice(0, 0)).reshape(shape);
}
} // namespace

Tensor pad(const OpBuilder& builder, const Tensor& x, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
           double value) {
  const OpBuilder b = builder.within("pad", "pad");
  if (before.size() != x.rank() || after.size() != x.rank())
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "pads of " + std::to_string(before.size()) + " and " + std::to_string(after.size()) +
                             " dimensions do not fit tensor " + x.getDebugStr(),
                         b.graph().fullName(b.context()));
  Tensor constant, padded = x;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const int64_t low = std::max<int64_t>(0, -before[d]), high = padded.dim(d) - std::max<int64_t>(0, -after[d]);
    padded = padded.slice(low, std::max(low, high), d);
    if (before[d] <= 0 && after[d] <= 0) continue;
    if (!constant.valid()) {
      constant = b.graph().addConstant(numerics::HostTensor::full(x.elementType(), {1}, value), "padding", b.context());
      b.mapLinearly(constant);
    }
    std::vector<Tensor> parts;
    if (before[d] > 0) parts.push_back(margin(constant, padded, d, before[d]));
    parts.push_back(padded);
    if (after[d] > 0) parts.push_back(margin(constant, padded, d, after[d]));
    padded = graph::concat(parts, d);
  }
  return padded;
}

Tensor duplicate(const OpBuilder& builder, const Tensor& x, const std::string& name) {
  const OpBuilder b = builder.within(name, "duplicate");
  const Tensor copy = b.graph().clone(x, name, b.context());
  b.program().add(graph::program::copy(x, copy, name, b.context()));
  return copy;
}

const graph::Variable& variableOf(const graph::Graph& g, const Tensor& whole) { return g.variable(whole.wholeVariable()); }
bool isWholeWithLayout(const graph::Graph& g, const Tensor& t) {
  return t.wholeVariable().valid() && variableOf(g, t).distribution.valid() && variableOf(g, t).extraBytes.empty();
}

namespace {
graph::PerTile copyCycles(const OpBuilder& b, const Tensor& to) {
  const int64_t size = elementBytes(to);
  graph::PerTile cycles;
  for (const auto& r : b.layoutOf(to).elementsByTile().runs())
    cycles.add(r.tiles, codelets::memcpyCycles(b.tile(), r.value * size, size >= 4 ? 8 : 4).cycles.value());
  return cycles;
}
} // namespace

void copyAlike(const OpBuilder& b, const std::vector<Tensor>& from, const std::vector<Tensor>& to) {
  graph::PerTile cycles;
  for (const Tensor& t : to) cycles.add(copyCycles(b, t));
  b.exchange("copy", from, to, graph::Traffic(), cycles, int64_t(to.size()));
  b.compute(from, to, [](const std::vector<HostTensor>& values) { return values; });
}

void copyInto(const OpBuilder& b, const Tensor& from, const Tensor& to) {
  const graph::Distribution source = b.layoutOf(from), target = b.layoutOf(to);
  const int64_t size = elementBytes(to);
  const bool alike = isWholeWithLayout(b.graph(), from) && isWholeWithLayout(b.graph(), to) &&
                     variableOf(b.graph(), from).distribution.sameAs(variableOf(b.graph(), to).distribution);
  b.exchange("copy", {from}, {to},
             alike ? graph::Traffic() : graph::trafficInOrder(source, target, size, 0, b.graph().keepsPairs()),
             copyCycles(b, to));
  b.compute({from}, {to}, [](const std::vector<HostTensor>& values) { return values; });
}

Tensor variableLike(const OpBuilder& b, const Tensor& tensor, const std::string& name) {
  if (isWholeWithLayout(b.graph(), tensor)) {
    const auto& v = variableOf(b.graph(), tensor);
    const numerics::Shape shape = v.shape;
    const graph::Distribution layout = v.distribution;
    return b.output(tensor.elementType(), shape, name, layout).reshape(tensor.shape());
  }
  return b.output(tensor.elementType(), tensor.shape(), name, b.linear(tensor.numElements(), tensor.elementType()));
}

} // namespace simcore::ops

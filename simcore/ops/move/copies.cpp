#include "simcore/ops/move/copies.h"

#include "reports/core/error.h"

#include <algorithm>

namespace simcore::ops {

namespace {
// So many elements of one value beside a tensor: a constant of one element, seen as many times as it takes.
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
                             " dimensions for tensor " + x.getDebugStr(),
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

} // namespace simcore::ops

#include "simcore/model/lowering_support.h"

#include "simcore/model/lowering_scope.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"

namespace simcore::model {

using graph::Tensor;
using numerics::HostTensor;

HostTensor scaled(const HostTensor& x, double factor) {
  return factor == 1 ? x : numerics::binary(numerics::BinaryKind::Mul, x, HostTensor::full(x.type(), {}, factor));
}

ops::ConvOptions planOptions(const NodeLowering& n) {
  ops::ConvOptions options;
  options.availableMemoryProportion = n.scope().options().availableMemoryProportion;
  return options;
}

Tensor insertZeros(NodeLowering& n, const Tensor& x, const ZeroInsertion& zeros) {
  const auto where = partKernel(n, [zeros](const std::vector<HostTensor>& in) {
    HostTensor out(in[0].type(), zeros.shape);
    const auto from = in[0].values<std::int64_t>();
    const auto to = out.mutableValues<std::int64_t>();
    const std::int64_t height = in[0].dim(2), width = in[0].dim(3), rows = zeros.shape[2], columns = zeros.shape[3];
    for (std::int64_t i = 0; i < in[0].count(); ++i) {
      const std::int64_t row = zeros.first[0] + i / width % height * zeros.stride[0],
                         column = zeros.first[1] + i % width * zeros.stride[1];
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      to[std::size_t((i / (height * width) * rows + row) * columns + column)] = from[std::size_t(i)];
    }
    return out;
  });
  return ops::move(n.parts(), "insertZeros", {x}, x.elementType(), zeros.shape, 1, {where});
}

HostTensor turnedKernel(const HostTensor& weights, std::int64_t groups) {
  const std::int64_t outs = weights.dim(0) / groups, ins = weights.dim(1), h = weights.dim(2), w = weights.dim(3);
  const HostTensor swapped =
      numerics::transpose(weights.reshaped({groups, outs, ins, h, w}), {0, 2, 1, 3, 4}).reshaped({groups * ins, outs, h, w});
  return numerics::slice(swapped, {{2, -1, -h - 1, -1}, {3, -1, -w - 1, -1}});
}

Tensor gathered(NodeLowering& n, const Tensor& view) {
  constexpr std::size_t kMostPieces = 2048;
  if (view.contiguousRegions().size() <= kMostPieces) return view;
  return ops::move(n.parts(), "collect", {view}, view.elementType(), view.shape(), view.shape().back(),
                   {partKernel(n, [](const std::vector<HostTensor>& in) { return in[0]; })});
}

} // namespace simcore::model

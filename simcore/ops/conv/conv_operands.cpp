#include "simcore/ops/conv/conv_operands.h"

#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"

#include <utility>

namespace simcore::ops {

using numerics::HostTensor;

HostTensor convOperand(const HostTensor& value) {
  return numerics::isFloat8(value.type()) ? value.cast(ElementType::Float) : value;
}

namespace {
HostTensor arranged(const ConvOptions::Arrange& how, const HostTensor& value) { return how ? how(value) : value; }

HostTensor scaledBy(double factor, const HostTensor& y) {
  return factor == 1 ? y : numerics::binary(numerics::BinaryKind::Mul, y, HostTensor::full(y.type(), {}, factor));
}
} // namespace

HostKernel arrangedCells(HostKernel cells, const ConvOptions& options) {
  return oneResult([cells = std::move(cells), options](const std::vector<HostTensor>& in) {
    return arranged(options.arrangeResult,
                    scaledBy(options.productScale,
                             cells({arranged(options.arrangeInput, in[0]), arranged(options.arrangeWeights, in[1])}).at(0)));
  });
}

ProductOrder::ProductOrder(const Shape& result, const Shape& a, const Shape& b) {
  const std::size_t rank = result.size() - 2;
  batch.assign(result.begin(), result.end() - 2);
  aFull = batch;
  aFull.insert(aFull.end(), a.end() - 2, a.end());
  bFull.assign(result.size() - b.size(), 1);
  bFull.insert(bFull.end(), b.begin(), b.end());
  for (std::size_t d = 0; d < rank; ++d)
    if (bFull[d] != 1) toRows.push_back(d);
  for (std::size_t d = 0; d < rank; ++d)
    if (bFull[d] == 1) toRows.push_back(d);
  toRows.push_back(rank);
  toRows.push_back(rank + 1);
  back.resize(toRows.size());
  for (std::size_t i = 0; i < toRows.size(); ++i) back[toRows[i]] = i;
}

HostKernel productByCells(HostKernel cells, const ConvParams& p, const Shape& shape, const ConvOptions& options) {
  return oneResult([cells = std::move(cells), p, shape, options](const std::vector<HostTensor>& in) {
    HostTensor a = arranged(options.arrangeInput, in[0]), b = arranged(options.arrangeWeights, in[1]);
    if (a.rank() == 1) a = a.reshaped({1, a.dim(0)});
    if (b.rank() == 1) b = b.reshaped({b.dim(0), 1});
    const Shape full = numerics::matmulShape(a.shape(), b.shape());
    const ProductOrder order(full, a.shape(), b.shape());
    const int64_t m = p.in[0], g = p.groups;
    const HostTensor rows = numerics::transpose(numerics::expand(a, order.aFull), order.toRows).reshaped({g, m, p.inChannels});
    const HostTensor x = numerics::transpose(rows, {0, 2, 1}).reshaped({1, g * p.inChannels, m, 1});
    const HostTensor w = numerics::transpose(b.reshaped({g, p.inChannels, p.outChannels}), {0, 2, 1})
                             .reshaped({g * p.outChannels, p.inChannels, 1, 1});
    const HostTensor y =
        numerics::transpose(scaledBy(options.productScale, cells({x, w}).at(0)).reshaped({g, p.outChannels, m}), {0, 2, 1});
    Shape grouped;
    for (const std::size_t d : order.toRows) grouped.push_back(full[d]);
    return arranged(options.arrangeResult, numerics::transpose(y.reshaped(grouped), order.back)).reshaped(shape);
  });
}

} // namespace simcore::ops

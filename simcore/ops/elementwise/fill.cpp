#include "simcore/ops/elementwise/fill.h"

#include "simcore/codelets/elementwise.h"
#include "simcore/ops/cells/cellwise.h"

#include <algorithm>
#include <numeric>

namespace simcore::ops {

using numerics::HostTensor;

namespace {

// One compute set; the workers of a tile share its elements.
void writeValues(const OpBuilder& b, const Tensor& x, const PositionKernel& values) {
  b.requireLocal(x);
  const Distribution layout = b.layoutOf(x);
  Superstep step(b, "Fill");
  for (const auto& r : layout.elementsByTile().runs()) {
    const int64_t workers = std::min<int64_t>(b.tile().workers, r.value);
    step.add(codelets::fillSpec(x.elementType()), codelets::fill(b.tile(), x.elementType(), reports::ceilDiv(r.value, workers)),
             r.tiles, workers);
  }
  step.execute({}, {x});
  if (b.byCells()) {
    b.compute({}, {x}, cellwiseGenerate(values, layout, x.shape(), x.elementType()));
    return;
  }
  b.compute({}, {x}, oneResult([values, shape = x.shape()](const std::vector<HostTensor>& in) {
              std::vector<int64_t> all(std::size_t(numerics::elementCount(shape)));
              std::iota(all.begin(), all.end(), int64_t(0));
              return values(in, all).reshaped(shape);
            }));
}

} // namespace

void fill(const OpBuilder& builder, const Tensor& x, double value) {
  const ElementType type = numerics::isFloating(x.elementType()) ? ElementType::Float : x.elementType();
  writeValues(builder.within("fill", "fill"), x, [type, value](const std::vector<HostTensor>&, const std::vector<int64_t>& at) {
    return HostTensor::full(type, {int64_t(at.size())}, value);
  });
}

void iota(const OpBuilder& builder, const Tensor& x, double first, double step) {
  const ElementType type = numerics::isFloating(x.elementType()) ? ElementType::Float : x.elementType();
  writeValues(builder.within("iota", "iota"), x,
              [type, first, step](const std::vector<HostTensor>&, const std::vector<int64_t>& at) {
                std::vector<double> values;
                values.reserve(at.size());
                for (const int64_t i : at) values.push_back(first + double(i) * step);
                return HostTensor::vector(values).cast(type);
              });
}

} // namespace simcore::ops

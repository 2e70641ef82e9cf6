#include "simcore/ops/conv/matmul_acc.h"

#include "reports/core/error.h"
#include "simcore/numerics/matmul.h"
#include "simcore/ops/elementwise/elementwise.h"

namespace simcore::ops {

void matmulAcc(const OpBuilder& builder, const Tensor& c, float scale, const Tensor& a, const Tensor& b,
               const ConvOptions& options) {
  const OpBuilder here = builder.within("matmulAcc", "matmul");
  here.requireLocal(c);
  const Shape shape = numerics::matmulShape(a.shape(), b.shape());
  if (c.shape() != shape)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "the product is " + numerics::toString(shape) + ", it cannot be added to " + c.getDebugStr(),
                         here.graph().fullName(here.context()));
  scaledAddTo(here, c, matmul(here, a, b, {}, options), scale);
}

} // namespace simcore::ops

// Pooling over [N, C, H, W]: the planner splits batch, channels and field, never the kernel.
#pragma once

#include "simcore/codelets/pooling.h"
#include "simcore/ops/op_builder.h"

#include <array>

namespace simcore::ops {

// The elements of a window that equal its maximum and get its gradient: the first one, each of them, or each an equal share.
enum class MaximumTies { First, All, Shared };

struct PoolParams {
  codelets::PoolKind kind = codelets::PoolKind::Max;
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, padLow{0, 0}, dilation{1, 1};
  std::array<int64_t, 2> out{1, 1}; // output field, from the caller's rounding rule
  std::array<int64_t, 2> padHigh{0, 0};
  bool countPads = false;                // averages divide by the window including its pads
  double power = 0;                      // if not 0: the p-norm of a window (with kind Sum)
  MaximumTies ties = MaximumTies::First; // of gradients
  bool columnMajor = false;              // indices of maxima count the first field dimension fastest
};

// `indices`, if not null, becomes the index of each maximum in the flattened x (Int64), or the value of `places` (shape of x) at
// that index. Without `kernel`, the vertices compute the numbers.
Tensor pool(const OpBuilder& builder, const Tensor& x, const PoolParams& params, HostKernel kernel = {},
            Tensor* indices = nullptr, const Tensor& places = {});

// The gradient of x, laid out like x; `y` (for max only, else invalid) and `gradient` have the output's shape.
Tensor poolGrad(const OpBuilder& builder, const Tensor& x, const Tensor& y, const Tensor& gradient, const PoolParams& params);
// The gradient of an average pool, which does not read x and needs only its shape.
Tensor poolGrad(const OpBuilder& builder, const Shape& shape, const Tensor& gradient, const PoolParams& params);

} // namespace simcore::ops

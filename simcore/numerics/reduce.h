// Reductions over any set of dimensions. Floats accumulate in float, in a fixed order of partial sums, so that results do not
// depend on threads. All throw reports::Error(InvalidInput) for bad axes and (Unsupported) for types that a reduction does not
// support.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

enum class ReduceKind { Sum, Mean, Max, Min, Prod, L1, L2, LogSum, LogSumExp, SumSquare };

// The shape of a reduction of `shape` over sorted `axes`; reduced dimensions become 1 or vanish.
Shape reducedShape(const Shape& shape, const std::vector<std::size_t>& axes, bool keepDims);

// `axes` sorted and unique. No axes: every element is reduced alone (L2 of one element is its magnitude). An empty reduction
// gives the neutral element; Max and Min of an empty set throw InvalidInput.
HostTensor reduce(ReduceKind kind, const HostTensor& x, const std::vector<std::size_t>& axes, bool keepDims);

// Int64 index of the largest (or smallest) element along `axis`; the first one on ties unless `lastOnTies`.
HostTensor argReduce(const HostTensor& x, std::size_t axis, bool largest, bool keepDims, bool lastOnTies);

// Running sums along `axis`; `exclusive` leaves the element itself out, `reverse` starts at the end.
HostTensor cumulativeSum(const HostTensor& x, std::size_t axis, bool exclusive, bool reverse);

struct TopK {
  HostTensor values, indices; // indices are Int64
};
// The k largest (or smallest) elements along `axis`, in order; the lower index first on ties.
TopK topK(const HostTensor& x, std::int64_t k, std::size_t axis, bool largest, bool sorted = true);

} // namespace simcore::numerics

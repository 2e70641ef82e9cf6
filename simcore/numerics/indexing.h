// Kernels that read or write elements at positions given by another tensor. Negative indices count from the back; an index
// outside its dimension throws reports::Error(InvalidInput).
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

// Output shape: x's with dimension `axis` replaced by the shape of `indices`.
HostTensor gather(const HostTensor& x, const HostTensor& indices, std::size_t axis);
// Output shape: that of `indices`, which has x's rank.
HostTensor gatherElements(const HostTensor& x, const HostTensor& indices, std::size_t axis);
// The last dimension of `indices` holds coordinates after the first `batchDims` dimensions.
HostTensor gatherNd(const HostTensor& x, const HostTensor& indices, std::size_t batchDims);

enum class ScatterReduction { None, Add, Mul, Min, Max };
HostTensor scatterElements(const HostTensor& x, const HostTensor& indices, const HostTensor& updates, std::size_t axis,
                           ScatterReduction reduction);
HostTensor scatterNd(const HostTensor& x, const HostTensor& indices, const HostTensor& updates, ScatterReduction reduction);

// `values` = [off, on]; inserts a new dimension of `depth` at `axis`. An index outside the depth gives only "off".
HostTensor oneHot(const HostTensor& indices, std::int64_t depth, const HostTensor& values, std::size_t axis);
// The slices along `axis` (null: elements of the flattened x) for which `condition` is true.
HostTensor compress(const HostTensor& x, const HostTensor& condition, const std::size_t* axis);
// Int64 [rank, count]: coordinates of the elements that are not zero.
HostTensor nonZero(const HostTensor& x);

// A tensor of zeros, to which each (floating) value is added at its index in the flattened result. Indices in `places` count from
// `first`; values with a smaller index are ignored.
HostTensor addAt(const HostTensor& values, const HostTensor& places, const Shape& shape, std::int64_t first = 0);

struct UniqueSlices {
  // `values` holds the distinct slices. Int64: `first` has the first occurrence of each, `counts` the number of occurrences, and
  // `inverse` has for each slice of x its index among the distinct ones.
  HostTensor values, first, inverse, counts;
};
// The distinct slices along `axis` (null: elements of the flattened x), sorted or in the order of first occurrence.
UniqueSlices unique(const HostTensor& x, const std::size_t* axis, bool sorted);

} // namespace simcore::numerics

// Kernels that only move elements; they accept any element type. All throw reports::Error(InvalidInput) for axes, permutations or
// sizes that do not fit the shape.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <optional>

namespace simcore::numerics {

// Output dimension i is input dimension permutation[i].
HostTensor transpose(const HostTensor& x, const std::vector<std::size_t>& permutation);

// All tensors have one type and equal shapes except along `axis`.
HostTensor concat(const std::vector<HostTensor>& parts, std::size_t axis);

// One sliced dimension, numpy style: negative starts and ends count from the back, out-of-range ones are clamped, a negative step
// goes backwards.
struct SliceRange {
  std::size_t axis = 0;
  std::int64_t start = 0, end = 0, step = 1;
};
// First index, number of elements and step of a range on a dimension of `dim` elements.
struct ResolvedRange {
  std::int64_t first = 0, count = 0, step = 1;
};
ResolvedRange resolve(const SliceRange& range, std::int64_t dim);
HostTensor slice(const HostTensor& x, const std::vector<SliceRange>& ranges);
// Elements [start, start + count) of one dimension.
HostTensor slice(const HostTensor& x, std::size_t axis, std::int64_t start, std::int64_t count);

enum class PadMode { Constant, Edge, Reflect, Wrap };
// `before[i]`/`after[i]` elements added to dimension i; negative values cut. `value`: a scalar of x's type or null for 0.
// Reflect needs pads smaller than the dimension.
HostTensor pad(const HostTensor& x, const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after, PadMode mode,
               const HostTensor* value);

// Repeats dimension i repeats[i] times.
HostTensor tile(const HostTensor& x, const std::vector<std::int64_t>& repeats);

// [N, C, H, W]; `columnRowDepth` is ONNX's mode CRD.
HostTensor depthToSpace(const HostTensor& x, std::int64_t blockSize, bool columnRowDepth);
HostTensor spaceToDepth(const HostTensor& x, std::int64_t blockSize);

// Keeps the upper (or lower) triangle of the last two dimensions relative to diagonal k, zero elsewhere.
HostTensor triangle(const HostTensor& x, bool upper, std::int64_t k);

// Reverses, along `timeAxis`, the first lengths[b] elements of batch entry b (on `batchAxis`).
HostTensor reverseSequence(const HostTensor& x, const std::vector<std::int64_t>& lengths, std::size_t batchAxis,
                           std::size_t timeAxis);

// start, start + step, …: `count` numbers with the type of `start` and `step`. Throws Error(Unsupported) for types that are not
// numeric.
HostTensor range(const HostTensor& start, const HostTensor& step, std::int64_t count);
// A Float matrix with ones on its k-th diagonal.
HostTensor eye(const Shape& shape, std::int64_t k);

} // namespace simcore::numerics

// Slices at positions known only at run time, of any tensor and dimensions, as in popops. A tensor without the required layout
// (sliceableTensor) is first converted to it; several dimensions are sliced in sequence.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// A variable of `shape` that can be sliced along `dims`[0] without an exchange. Other dimensions need a conversion.
Tensor sliceableTensor(const OpBuilder& builder, ElementType type, const Shape& shape, const std::vector<std::size_t>& dims,
                       const std::string& name);
// `offsets` has an integer for each of `dims`. A slice that extends beyond the end continues at the beginning. Throws
// Error(InvalidInput) if lists differ in length, a dimension does not exist or a size exceeds its dimension.
Tensor dynamicSlice(const OpBuilder& builder, const Tensor& x, const Tensor& offsets, const std::vector<std::size_t>& dims,
                    const std::vector<int64_t>& sizes);
// Writes `part` into x at the offsets, in place.
void dynamicUpdate(const OpBuilder& builder, const Tensor& x, const Tensor& part, const Tensor& offsets,
                   const std::vector<std::size_t>& dims, const std::vector<int64_t>& sizes);

} // namespace simcore::ops

// Look-ups and updates of rows of a table laid out by products, without a plan: PopART's TiedGather and SparseAccumulate
// (tiedgatherx.cpp, accumulatex.cpp, both with an empty SlicePlan). popops first moves such a table to other tiles, whole columns
// to each, and back after an update (popops DynamicSlice.cpp, generateMultiSliceVertices and createSliceableTensor). The rows are
// cut into `parts` that are processed in sequence, as in PopART for a serialised product (tiedgatherpattern.cpp).
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Looks up table [R, C] at indices [L] -> [L, C]. Each part gives zeros for rows of other parts, and the parts are summed.
Tensor tiedRows(const OpBuilder& builder, const Tensor& table, const Tensor& indices, int64_t parts);
// Adds updates [L, C] to the rows of `table` at these indices, in place.
void addToTiedRows(const OpBuilder& builder, const Tensor& table, const Tensor& indices, const Tensor& updates, int64_t parts);

} // namespace simcore::ops

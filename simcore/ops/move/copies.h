// Views with new elements (popops pad, poputil duplicate), and copies between tensors with equal or different mappings: into and
// out of the variables of functions, which have the mapping of the function's first call.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// x with `before` and `after` further elements of this value along each dimension: a view of x and constants, without copying
// elements. Negative numbers cut. Throws Error(InvalidInput) unless the lists have one number per dimension.
Tensor pad(const OpBuilder& builder, const Tensor& x, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
           double value = 0);
// A copy of x with the mapping of x.
Tensor duplicate(const OpBuilder& builder, const Tensor& x, const std::string& name = "duplicate");

const graph::Variable& variableOf(const graph::Graph& g, const Tensor& whole);
// Whether the tensor is a whole variable mapped by a distribution.
bool isWholeWithLayout(const graph::Graph& g, const Tensor& t);
// Copies a tensor: exchanges bytes between tiles, or copies on each tile if both tensors have the same mapping.
void copyInto(const OpBuilder& b, const Tensor& from, const Tensor& to);
// Makes several copies between tensors with equal mappings in one step on every tile.
void copyAlike(const OpBuilder& b, const std::vector<Tensor>& from, const std::vector<Tensor>& to);
// A new variable with the mapping of `tensor`.
Tensor variableLike(const OpBuilder& b, const Tensor& tensor, const std::string& name);

} // namespace simcore::ops

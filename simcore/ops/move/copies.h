// Views with elements of their own (popops pad, poputil duplicate), and copies between tensors that lie alike or not: into and out of the
// variables of functions, which lie as those of its first call did.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// x with `before` and `after` further elements of this value along each dimension: a view of x and constants, which no element is
// copied for. Negative numbers cut. Throws Error(InvalidInput) for lists that are not one number a dimension.
Tensor pad(const OpBuilder& builder, const Tensor& x, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
           double value = 0);
// A copy of x where x lies.
Tensor duplicate(const OpBuilder& builder, const Tensor& x, const std::string& name = "duplicate");

const graph::Variable& variableOf(const graph::Graph& g, const Tensor& whole);
// All of a variable that a distribution places.
bool isWholeWithLayout(const graph::Graph& g, const Tensor& t);
// Bytes from tile to tile, or only moved on each tile where both lie alike.
void copyInto(const OpBuilder& b, const Tensor& from, const Tensor& to);
// Several copies between tensors that lie alike: one step on every tile.
void copyAlike(const OpBuilder& b, const std::vector<Tensor>& from, const std::vector<Tensor>& to);
// A new variable that lies as `tensor` does.
Tensor variableLike(const OpBuilder& b, const Tensor& tensor, const std::string& name);

} // namespace simcore::ops

// Variables of functions and the copies into and out of them: a function works on variables of its own, which lie as those of its
// first call did.
#pragma once

#include "simcore/ops/ops.h"

#include <string>

namespace simcore::model {

const graph::Variable& variableOf(const graph::Graph& g, const graph::Tensor& whole);
// All of a variable that a distribution places.
bool isWholeWithLayout(const graph::Graph& g, const graph::Tensor& t);
// Bytes from tile to tile, or only moved on each tile where both lie alike.
void copyInto(const ops::OpBuilder& b, const graph::Tensor& from, const graph::Tensor& to);
// Several copies between tensors that lie alike: one step on every tile.
void copyAlike(const ops::OpBuilder& b, const std::vector<graph::Tensor>& from, const std::vector<graph::Tensor>& to);
// A variable that lies as `tensor` does.
graph::Tensor variableLike(const ops::OpBuilder& b, const graph::Tensor& tensor, const std::string& name);

} // namespace simcore::model

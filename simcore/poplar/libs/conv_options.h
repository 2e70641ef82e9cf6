// Converts options of poplin to options of the planner.
#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplin/ConvParams.hpp"
#include "simcore/ops/conv/convolution.h"

namespace simcore::poplar {

// Reads availableMemoryProportion, partialsType, fullyConnectedPass and pass; reports other names once. Throws
// poplar::invalid_option for an invalid value.
ops::ConvOptions convOptionsOf(const char* call, const ::poplar::OptionFlags& options);

// The planner's parameters of a convolution, or of a product [groups, m, k] x [groups, k, n].
ops::ConvParams plannedParams(const ::poplin::ConvParams& params);
ops::ConvParams plannedProduct(const ::poplar::Type& type, const std::vector<std::size_t>& a, const std::vector<std::size_t>& b);

// Lays out `variable`, which is on no tile yet, like the operand that the plan of an operation wants. `make` builds the operation
// on a scratch graph with an operand of the same shape; the variable gets the layout of that operand.
void layOutAsPlanned(const ops::OpBuilder& b, const graph::Tensor& variable,
                     const std::function<void(const ops::OpBuilder& scratch, const graph::Tensor& like)>& make);

} // namespace simcore::poplar

// Converts options of poplin to options of the planner.
#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplin/ConvParams.hpp"
#include "simcore/ops/conv/convolution.h"

namespace simcore::poplar {

// Reads availableMemoryProportion, partialsType, fullyConnectedPass and pass; reports other names once. Throws poplar::invalid_option for an
// invalid value.
ops::ConvOptions convOptionsOf(const char* call, const ::poplar::OptionFlags& options);

// What the planner is asked for a convolution, and for a product of matrices [groups, m, k] x [groups, k, n].
ops::ConvParams plannedParams(const ::poplin::ConvParams& params);
ops::ConvParams plannedProduct(const ::poplar::Type& type, const std::vector<std::size_t>& a, const std::vector<std::size_t>& b);

// The plan's layout for a new variable: where `make` puts its first operand on a separate graph. Lays out `variable`, a variable of the graph
// that is on no tile yet.
void layOutAsPlanned(const ops::OpBuilder& b, const graph::Tensor& variable,
                     const std::function<void(const ops::OpBuilder& scratch, const graph::Tensor& like)>& make);

} // namespace simcore::poplar

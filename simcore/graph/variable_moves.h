// Source and destination variables of a copy that moves elements of several variables.
#pragma once

#include "simcore/graph/program.h"

namespace simcore::graph {

std::vector<VariableMove> everyMove(const std::vector<VariableId>& from, const std::vector<VariableId>& to);
// The moves of a copy between views with equal element count, derived from their regions in element order; sorted, without
// repetitions.
std::vector<VariableMove> movesOf(const Tensor& source, const Tensor& destination);

} // namespace simcore::graph

// The variables that become others where a copy moves the elements of several.
#pragma once

#include "simcore/graph/program.h"

namespace simcore::graph {

std::vector<VariableMove> everyMove(const std::vector<VariableId>& from, const std::vector<VariableId>& to);
// Of a copy between views of as many elements, from their regions in the order of the elements; rising, each once.
std::vector<VariableMove> movesOf(const Tensor& source, const Tensor& destination);

} // namespace simcore::graph

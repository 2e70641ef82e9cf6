// What is equal about nodes that are lowered alike: operator, attributes bit by bit, types, which inputs are constants. Names and the
// contents of constants are left out.
#pragma once

#include "simcore/model/graph.h"

namespace simcore::model {

// Empty for nodes that are like no other (subgraphs, tensors among the attributes, random numbers of no given seed).
std::string nodeSignature(const Graph& graph, const Node& node);

} // namespace simcore::model

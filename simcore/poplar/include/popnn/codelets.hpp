// The simulator includes the vertices of popnn; the call exists for programs that make it.
#pragma once

#include "poplar/Graph.hpp"

namespace popnn {

void addCodelets(poplar::Graph& graph);

} // namespace popnn

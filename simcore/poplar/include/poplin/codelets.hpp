// The simulator includes the vertices of poplin; the call exists for programs that make it.
#pragma once

#include "poplar/Graph.hpp"

namespace poplin {

void addCodelets(poplar::Graph& graph);

} // namespace poplin

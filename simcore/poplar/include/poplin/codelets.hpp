// The vertices of poplin come with the simulator; the call is there for programs that make it.
#pragma once

#include "poplar/Graph.hpp"

namespace poplin {

void addCodelets(poplar::Graph& graph);

} // namespace poplin

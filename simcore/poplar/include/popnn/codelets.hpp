// The vertices of popnn come with the simulator; the call is there for programs that make it.
#pragma once

#include "poplar/Graph.hpp"

namespace popnn {

void addCodelets(poplar::Graph& graph);

} // namespace popnn

// The vertices of popnn come with the simulator; this call does nothing, so that existing programs compile.
#pragma once

#include "poplar/Graph.hpp"

namespace popnn {

void addCodelets(poplar::Graph& graph);

} // namespace popnn

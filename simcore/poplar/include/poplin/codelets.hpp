// The vertices of poplin come with the simulator; this call does nothing, so that existing programs compile.
#pragma once

#include "poplar/Graph.hpp"

namespace poplin {

void addCodelets(poplar::Graph& graph);

} // namespace poplin

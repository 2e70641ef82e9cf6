// The vertices of popops come with the simulator; this call does nothing, so that existing programs compile.
#pragma once

#include "poplar/Graph.hpp"

namespace popops {

void addCodelets(poplar::Graph& graph);

} // namespace popops

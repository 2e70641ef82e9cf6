// The vertices of popops come with the simulator; the call is there for programs that make it.
#pragma once

#include "poplar/Graph.hpp"

namespace popops {

void addCodelets(poplar::Graph& graph);

} // namespace popops

// The vertices of poprand come with the simulator; this call does nothing, so that existing programs compile.
#pragma once

#include "poplar/Graph.hpp"

namespace poprand {

void addCodelets(poplar::Graph& graph);

} // namespace poprand

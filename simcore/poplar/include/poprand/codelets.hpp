// The vertices of poprand come with the simulator; the call is there for programs that make it.
#pragma once

#include "poplar/Graph.hpp"

namespace poprand {

void addCodelets(poplar::Graph& graph);

} // namespace poprand

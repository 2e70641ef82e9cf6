// The vertices of popsparse come with the simulator; the call is there for programs that make it.
#pragma once

#include "poplar/Graph.hpp"

namespace popsparse {

void addCodelets(poplar::Graph& graph);

} // namespace popsparse

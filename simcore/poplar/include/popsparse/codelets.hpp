// The vertices of popsparse come with the simulator; this call does nothing, so that existing programs compile.
#pragma once

#include "poplar/Graph.hpp"

namespace popsparse {

void addCodelets(poplar::Graph& graph);

} // namespace popsparse

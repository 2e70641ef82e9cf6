// The parts of a Summary that come from executions of compute sets: cycles by vertex type and averages over tiles.
#pragma once

#include "analyser/summary/summary.h"

namespace analyser::summary {

// Sets `vertexTypes` and `tileAverages`; needs the machine, the run totals and the tile-cycles.
void addVertexCycles(Session& session, Summary& summary, const std::stop_token& stop);

} // namespace analyser::summary

// The distribution of work over the six workers of a tile: vertices of a compute set over workers, and elements of one vertex
// over workers. Vertices start in table order on the next free worker (ipu-reference section 3, list scheduling).
#pragma once

#include "reports/core/units.h"

#include <cstdint>
#include <span>
#include <vector>

namespace simcore::codelets {

struct WorkerRun {
  int64_t count = 0; // number of consecutive equal vertices
  reports::Cycles workerCycles{0};
};

// Tile cycles of worker vertices in table order: workers x the end of the last worker. Equal vertices take ceil(count / workers)
// rounds. The run time of this function does not depend on counts.
reports::Cycles scheduleWorkers(std::span<const WorkerRun> runs, int workers);

// The largest share if `elements` are distributed in whole grains: the first workers get one grain more, and the last grain may be short.
int64_t largestShare(int64_t elements, int64_t grain, int workers);

} // namespace simcore::codelets

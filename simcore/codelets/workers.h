// The distribution of work over the six workers of a tile: of a compute set's vertices, and of a vertex's elements. Vertices
// start in table order on the next free worker (ipu-reference section 3, list scheduling).
#pragma once

#include "reports/core/units.h"

#include <cstdint>
#include <span>
#include <vector>

namespace simcore::codelets {

struct WorkerRun {
  int64_t count = 0; // consecutive equal vertices
  reports::Cycles workerCycles{0};
};

// Tile cycles of worker vertices in table order: workers x the end of the last worker. Equal vertices take ceil(count / workers)
// rounds. The time of this computation does not depend on counts.
reports::Cycles scheduleWorkers(std::span<const WorkerRun> runs, int workers);

// The largest share if `elements` are distributed in whole grains: the first workers get one more grain, and the last grain may
// be incomplete.
int64_t largestShare(int64_t elements, int64_t grain, int workers);

} // namespace simcore::codelets

// How work meets the six workers of a tile: vertices of a compute set on workers, and elements of one vertex on workers.
// Vertices start in table order on the next worker that is free (ipu-reference section 3, list scheduling).
#pragma once

#include "reports/core/units.h"

#include <cstdint>
#include <span>
#include <vector>

namespace simcore::codelets {

struct WorkerRun {
  int64_t count = 0; // equal vertices one after another
  reports::Cycles workerCycles{0};
};

// Tile cycles of worker vertices in table order: workers x the time the last worker ends. Equal vertices take
// ceil(count / workers) rounds. Cost per run is independent of its count.
reports::Cycles scheduleWorkers(std::span<const WorkerRun> runs, int workers);

// `elements` go in whole grains to the workers, the first workers take one grain more, and the last grain may be short: the largest share.
int64_t largestShare(int64_t elements, int64_t grain, int workers);

} // namespace simcore::codelets

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
// The same without idle workers: sum of all worker cycles ("excluding idle threads" of a profile summary).
reports::Cycles busyWorkerCycles(std::span<const WorkerRun> runs);

// `elements` in whole grains over the workers, the first workers take one grain more; the last grain may be short.
std::vector<int64_t> splitAmongWorkers(int64_t elements, int64_t grain, int workers);
// The largest share of that split, without building it.
int64_t largestShare(int64_t elements, int64_t grain, int workers);

} // namespace simcore::codelets

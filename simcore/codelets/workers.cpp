#include "simcore/codelets/workers.h"

#include <algorithm>

namespace simcore::codelets {

using reports::Cycles;

namespace {

// Starts up to `workers` vertices one by one, each on the first free worker.
void startFew(std::vector<int64_t>& freeAt, int64_t count, int64_t cycles) {
  for (int64_t i = 0; i < count; ++i) *std::min_element(freeAt.begin(), freeAt.end()) += cycles;
}

// The number of whole vertices that can start before any worker's clock passes `level`: a vertex starts on a worker only if the
// worker is free strictly before `level`.
int64_t startsBefore(const std::vector<int64_t>& freeAt, int64_t cycles, int64_t level) {
  int64_t starts = 0;
  for (const int64_t free : freeAt) starts += reports::ceilDiv(level - free, cycles);
  return starts;
}

// List scheduling assigns equal vertices in order of start time. All starts before a sufficiently early time are assigned at
// once; the few that remain are assigned one by one, so that ties are resolved as in the plain loop.
void startRun(std::vector<int64_t>& freeAt, int64_t count, int64_t cycles) {
  const int64_t workers = int64_t(freeAt.size());
  if (cycles <= 0 || count <= 0) return;
  if (count > workers) {
    const int64_t first = *std::min_element(freeAt.begin(), freeAt.end());
    int64_t low = first, high = first + count * cycles; // startsBefore(low) = 0 <= count
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (startsBefore(freeAt, cycles, middle) <= count ? low : high) = middle;
    }
    count -= startsBefore(freeAt, cycles, low);
    for (int64_t& free : freeAt) free += reports::ceilDiv(low - free, cycles) * cycles;
  }
  startFew(freeAt, count, cycles);
}

} // namespace

Cycles scheduleWorkers(std::span<const WorkerRun> runs, int workers) {
  if (workers < 1) return Cycles(0);
  std::vector<int64_t> freeAt(size_t(workers), 0);
  for (const WorkerRun& run : runs) startRun(freeAt, run.count, run.workerCycles.value());
  return Cycles(*std::max_element(freeAt.begin(), freeAt.end()) * workers);
}

int64_t largestShare(int64_t elements, int64_t grain, int workers) {
  workers = std::max(workers, 1);
  grain = std::max<int64_t>(grain, 1);
  if (elements <= 0) return 0;
  return std::min(elements, reports::ceilDiv(reports::ceilDiv(elements, grain), workers) * grain);
}

} // namespace simcore::codelets

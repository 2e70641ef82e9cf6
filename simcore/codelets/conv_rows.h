// The distribution of a convolution vertex's output positions over the workers: equal contiguous runs of positions, cut at row
// ends, because a worker's inner loop runs along one row. Used by all forms in convolution.h.
#pragma once

#include "reports/core/units.h"

#include <algorithm>
#include <cstdint>

namespace simcore::codelets {

struct WorkerSpread {
  int64_t worst = 0, best = 0; // worker cycles
};

// `partition(e)` returns the worker cycles for e positions within one row. `fixed`: additional cycles of each worker that has
// positions.
template<class Partition>
WorkerSpread spreadRows(int64_t rows, int64_t rowLength, int workers, int64_t fixed, Partition&& partition) {
  const int64_t positions = rows * rowLength, share = positions / workers, more = positions % workers;
  if (rows == 1) { // each worker has at most one run
    const int64_t least = share > 0 ? fixed + partition(share) : 0;
    return {more > 0 ? fixed + partition(share + 1) : least, least};
  }
  WorkerSpread spread{0, INT64_MAX};
  int64_t begin = 0;
  for (int worker = 0; worker < workers; ++worker) {
    const int64_t end = begin + share + (worker < more ? 1 : 0);
    int64_t cycles = fixed, at = begin;
    if (at < end && at % rowLength != 0) { // the rest of a row that the previous worker began
      const int64_t stop = std::min(end, reports::roundUp(at, rowLength));
      cycles += partition(stop - at);
      at = stop;
    }
    const int64_t whole = (end - at) / rowLength, tail = (end - at) % rowLength;
    if (whole > 0) cycles += whole * partition(rowLength);
    if (tail > 0) cycles += partition(tail);
    if (begin == end) cycles = 0; // an empty worker context
    spread.worst = std::max(spread.worst, cycles);
    spread.best = std::min(spread.best, cycles);
    begin = end;
  }
  return spread;
}

// Number of 16-bit values in the worklists of the six workers: first output, length and first input of each run within a row.
inline int64_t worklistEntries(int64_t rows, int64_t rowLength) {
  return 3 * std::max<int64_t>(0, std::min(rows * rowLength, rows + 5));
}

// The number of workers that have a worklist.
inline int64_t worklists(int64_t rows, int64_t rowLength) { return std::clamp<int64_t>(rows * rowLength, 0, 6); }

} // namespace simcore::codelets

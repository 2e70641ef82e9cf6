// Cycles of host transfers on the I/O tiles of an IPU that are hidden behind the work of its other tiles, and cycles that are exposed.
// Computed from the busy times of both, in whatever order the program's walk reports them.
#pragma once

#include "reports/core/range.h"

#include <vector>

namespace simcore::run {

class HiddenTransfers {
public:
  // The compute tiles are busy with a step of any kind; the I/O tiles with a transfer or its sync.
  void work(reports::TickRange cycles) { add(m_work, cycles); }
  void transfer(reports::TickRange cycles) { add(m_transfers, cycles); }

  struct Sums {
    int64_t hidden = 0;  // cycles in which both are busy
    int64_t exposed = 0; // cycles of transfers alone
  };
  Sums sums() const;

private:
  // Each list is in order of time, without overlaps; adjacent ranges are merged.
  static void add(std::vector<reports::TickRange>& list, reports::TickRange cycles);

  std::vector<reports::TickRange> m_work, m_transfers;
};

} // namespace simcore::run

// Splits the cycles of host transfers on an IPU's I/O tiles into hidden ones, during which its other tiles work, and exposed
// ones. The busy times of transfers and work may arrive in any order.
#pragma once

#include "reports/core/range.h"

#include <vector>

namespace simcore::run {

class HiddenTransfers {
public:
  // Records that the compute tiles are busy with a step, or the I/O tiles with a transfer or its sync.
  void work(reports::TickRange cycles) { add(m_work, cycles); }
  void transfer(reports::TickRange cycles) { add(m_transfers, cycles); }

  struct Sums {
    int64_t hidden = 0;  // cycles in which a transfer and the compute tiles are busy
    int64_t exposed = 0; // cycles in which only a transfer is busy
  };
  Sums sums() const;

private:
  // Each list is in order of time, without overlaps; adjacent ranges are merged.
  static void add(std::vector<reports::TickRange>& list, reports::TickRange cycles);

  std::vector<reports::TickRange> m_work, m_transfers;
};

} // namespace simcore::run

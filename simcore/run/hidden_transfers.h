// How much of the host's transfers on the I/O tiles of an IPU runs beside the work of its other tiles, and how long these wait for
// the rest: from when each was busy, whatever the order in which the program's walk gets there.
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
    int64_t hidden = 0;  // cycles of both
    int64_t exposed = 0; // of transfers alone
  };
  Sums sums() const;

private:
  // Each kind comes in order of time, without overlaps; neighbours become one.
  static void add(std::vector<reports::TickRange>& list, reports::TickRange cycles);

  std::vector<reports::TickRange> m_work, m_transfers;
};

} // namespace simcore::run

#include "simcore/run/hidden_transfers.h"

namespace simcore::run {

void HiddenTransfers::add(std::vector<reports::TickRange>& list, reports::TickRange cycles) {
  if (cycles.empty()) return;
  if (!list.empty() && list.back().end == cycles.begin)
    list.back().end = cycles.end;
  else
    list.push_back(cycles);
}

HiddenTransfers::Sums HiddenTransfers::sums() const {
  Sums sums;
  auto work = m_work.begin();
  for (const auto& t : m_transfers) {
    int64_t hidden = 0;
    while (work != m_work.end() && work->end <= t.begin) ++work;
    for (auto w = work; w != m_work.end() && w->begin < t.end; ++w) hidden += w->clippedTo(t).size();
    sums.hidden += hidden;
    sums.exposed += t.size() - hidden;
  }
  return sums;
}

} // namespace simcore::run

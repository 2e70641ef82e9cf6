#include "simcore/graph/sender_check.h"

#include <algorithm>

namespace simcore::graph {

namespace {
constexpr int64_t kMostOfNobody = 20; // at most 1/20 of the bytes in the pairs may have a sender without bytes in bytesOut

class Sending {
public:
  explicit Sending(const PerTile& bytesOut) {
    for (const auto& r : bytesOut.runs()) {
      if (r.value <= 0) continue;
      if (!m_runs.empty() && m_runs.back().end == r.tiles.begin)
        m_runs.back().end = r.tiles.end;
      else
        m_runs.push_back(r.tiles);
    }
  }
  bool empty() const { return m_runs.empty(); }
  bool all(int64_t first, int64_t last) const {
    const auto it = std::upper_bound(m_runs.begin(), m_runs.end(), first, [](int64_t at, TileRange r) { return at < r.end; });
    return it != m_runs.end() && it->begin <= first && last < it->end;
  }

private:
  std::vector<TileRange> m_runs; // as few runs as possible
};
} // namespace

bool sendersAgree(const SharedPairs& pairs, const PerTile& bytesOut) {
  const Sending sending(bytesOut);
  if (pairs.empty() || sending.empty()) return true;
  int64_t bytes = 0, ofNobody = 0;
  for (const auto& part : pairs.parts())
    for (const reports::PairRun& run : *part.runs) {
      bytes += run.bytes * run.receivers * run.senders;
      const int64_t reach = int64_t(run.senders - 1) * run.stride,
                    last = run.firstSender(int64_t(run.receiver) + run.receivers - 1);
      if (sending.all(std::min<int64_t>(run.sender, last) + part.offset,
                      std::max<int64_t>(run.sender, last) + reach + part.offset))
        continue;
      for (int64_t to = run.receiver; run.receives(to); ++to)
        run.forEachSender(to, [&](int64_t from) {
          if (!sending.all(from + part.offset, from + part.offset)) ofNobody += run.bytes;
        });
    }
  return ofNobody * kMostOfNobody <= bytes;
}

} // namespace simcore::graph

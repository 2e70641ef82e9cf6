// Bytes of an exchange by sender and receiver tile, added in any order. If there are many pairs, equal pairs are summed; if there
// are still too many, all are dropped.
#pragma once

#include "simcore/graph/distribution.h"

#include <algorithm>
#include <vector>

namespace simcore::compile {

class PairSums {
public:
  void add(int64_t from, int64_t to, int64_t bytes) {
    if (m_tooMany) return;
    const uint64_t key = uint64_t(to) << 32 | uint64_t(from);
    if (!m_sums.empty() && m_sums.back().key == key) {
      m_sums.back().bytes += bytes;
      return;
    }
    if (m_sums.size() >= kMostAtOnce) sum();
    if (!m_tooMany) m_sums.push_back({key, bytes});
  }
  graph::Pairs pairs() {
    if (!m_tooMany) sum();
    if (m_tooMany) return {};
    reports::PairWriter writer(graph::kKeptPairRuns);
    int64_t receiver = -1;
    for (const Sum& s : m_sums) {
      if (int64_t(s.key >> 32) != receiver) writer.receiver(receiver = int64_t(s.key >> 32));
      writer.take(int64_t(s.key & 0xffffffff), s.bytes);
    }
    return writer.finish();
  }

private:
  static constexpr std::size_t kMostAtOnce = std::size_t(1) << 17, kMostPairs = std::size_t(1) << 16;
  struct Sum {
    uint64_t key; // receiver, sender
    int64_t bytes;
  };
  void sum() {
    const auto byKey = [](const Sum& a, const Sum& b) { return a.key < b.key; };
    if (!std::is_sorted(m_sums.begin(), m_sums.end(), byKey)) std::sort(m_sums.begin(), m_sums.end(), byKey);
    std::size_t kept = 0;
    for (const Sum& s : m_sums)
      if (kept && m_sums[kept - 1].key == s.key)
        m_sums[kept - 1].bytes += s.bytes;
      else
        m_sums[kept++] = s;
    m_sums.resize(kept);
    m_tooMany = kept > kMostPairs;
    if (m_tooMany) m_sums.clear();
  }
  std::vector<Sum> m_sums;
  bool m_tooMany = false;
};

} // namespace simcore::compile

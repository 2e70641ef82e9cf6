// Cache of computed pairs, because layers of a network repeat the same exchanges, often on another IPU. Only the most recent are
// kept.
#pragma once

#include "simcore/graph/distribution.h"

namespace simcore::graph {

// The cache key: everything that determines the pairs, as numbers; tiles are relative to `base`.
class PairKey {
public:
  explicit PairKey(int64_t base) : m_base(base) {}
  PairKey& add(int64_t number) {
    m_numbers.push_back(number);
    return *this;
  }
  PairKey& add(const Distribution& layout);
  PairKey& add(const PerTile& bytes);
  PairKey& add(const std::vector<int64_t>& numbers) {
    add(int64_t(numbers.size()));
    m_numbers.insert(m_numbers.end(), numbers.begin(), numbers.end());
    return *this;
  }
  int64_t base() const { return m_base; }
  const std::vector<int64_t>& numbers() const { return m_numbers; }
  uint64_t hash() const;

private:
  int64_t m_base;
  std::vector<int64_t> m_numbers;
};

// The pairs for the key: from this thread's cache, else computed by `make`.
SharedPairs remembered(const PairKey& key, const std::function<Pairs()>& make);

} // namespace simcore::graph

// Placed storage by when it is alive, so that a search for a free place looks at what is alive at the same time and not at all
// storage of the tile. Time is cut into equal buckets. A long life meets nearly all storage, and meets it in several buckets: its
// search goes through all storage in the order of addresses, and ends at the place it finds.
#pragma once

#include "simcore/compile/allocate.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace simcore::compile {

using Spans = std::vector<reports::Range<int64_t>>;

inline bool overlap(const Spans& a, const Spans& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].overlaps(b[j])) return true;
    (a[i].end < b[j].end ? i : j)++;
  }
  return false;
}
inline bool alive(const Storage& a, const Storage& b) { // at the same time
  if (a.alwaysLive || b.alwaysLive) return true;
  return overlap(a.ownLive(), b.ownLive()) || overlap(a.waiting, b.ownLive()) || overlap(a.ownLive(), b.waiting);
}

// From the first to the last step at which a storage is in another's way.
inline reports::Range<int64_t> lifeOf(const Storage& s) {
  reports::Range<int64_t> life{INT64_MAX, INT64_MIN};
  for (const Spans* spans : {&s.ownLive(), &s.waiting})
    for (const auto& span : *spans) life = {std::min(life.begin, span.begin), std::max(life.end, span.end)};
  return s.alwaysLive ? reports::Range<int64_t>{INT64_MIN, INT64_MAX} : life;
}

class PlacedByTime {
public:
  PlacedByTime(const std::vector<Storage>& storage, int64_t ordinals)
      : m_storage(storage), m_width(std::max<int64_t>(1, reports::ceilDiv(ordinals, kBuckets))), m_buckets(kBuckets) {}

  const std::vector<Placement>& placements() const { return m_placements; }

  void add(const Placement& p) {
    const auto index = uint32_t(m_placements.size());
    m_placements.push_back(p);
    m_seen.push_back(0);
    const Storage& s = m_storage[p.storage];
    m_byAddress.add({p.address, p.address + p.size, lifeOf(s), p.storage});
    forEachBucket(s, [&](std::vector<uint32_t>& bucket) {
      if (bucket.empty() || bucket.back() != index) bucket.push_back(index);
    });
  }

  // Begins a search for a place of `s`. Valid until the next add() or search.
  void search(const Storage& s) {
    m_for = &s;
    std::size_t met = 0;
    forEachBucket(s, [&](const std::vector<uint32_t>& bucket) { met += bucket.size(); });
    m_isKnown = met < m_placements.size() / kFew;
    m_life = lifeOf(s);
    if (!m_isKnown) return;
    m_found.clear();
    ++m_search;
    forEachBucket(s, [&](const std::vector<uint32_t>& bucket) {
      for (const uint32_t i : bucket)
        if (const Placement& p = m_placements[i];
            std::exchange(m_seen[i], m_search) != m_search && alive(s, m_storage[p.storage]))
          m_found.push_back({p.address, p.address + p.size, {}, p.storage});
    });
    std::sort(m_found.begin(), m_found.end());
  }

  // By address, whatever is alive with the searched storage and in the way of `bytes` at `address`; `isInTheWay` may move it up.
  template<class F> void walk(const int64_t& address, int64_t bytes, F isInTheWay) const {
    const auto visit = [&](const std::vector<Placed>& list) {
      for (const Placed& p : list) {
        if (p.end <= address) continue;
        if (p.begin >= address + bytes) return false;
        if (m_isKnown || (p.life.overlaps(m_life) && alive(*m_for, m_storage[p.storage]))) isInTheWay(p.end, p.storage);
      }
      return true;
    };
    if (m_isKnown)
      visit(m_found);
    else
      for (const auto& block : m_byAddress.blocks())
        if (!visit(block)) return;
  }

private:
  struct Placed {
    int64_t begin, end;
    reports::Range<int64_t> life;
    uint32_t storage;
    bool operator<(const Placed& o) const { return begin != o.begin ? begin < o.begin : storage < o.storage; }
  };
  // A sorted list in blocks: to insert moves one block, to walk reads memory in order.
  class Sorted {
  public:
    const std::vector<std::vector<Placed>>& blocks() const { return m_blocks; }
    void add(const Placed& p) {
      if (m_blocks.empty()) m_blocks.emplace_back();
      auto block = std::upper_bound(m_blocks.begin() + 1, m_blocks.end(), p,
                                    [](const Placed& a, const std::vector<Placed>& b) { return a < b.front(); }) -
                   1;
      block->insert(std::lower_bound(block->begin(), block->end(), p), p);
      if (block->size() < kMost) return;
      std::vector<Placed> upper(block->begin() + kMost / 2, block->end());
      block->resize(kMost / 2);
      m_blocks.insert(block + 1, std::move(upper));
    }

  private:
    static constexpr std::size_t kMost = 512;
    std::vector<std::vector<Placed>> m_blocks;
  };

  static constexpr int64_t kBuckets = 512;
  // A search that meets less than one part in so many of all storage sorts it; a walk through all costs less than to sort more.
  static constexpr std::size_t kFew = 8;

  template<class F> void forEachBucket(const Storage& s, F f) {
    for (const Spans* spans : {&s.ownLive(), &s.waiting})
      for (const auto& span : *spans)
        for (int64_t b = span.begin / m_width; b <= std::min((span.end - 1) / m_width, kBuckets - 1); ++b)
          f(m_buckets[std::size_t(b)]);
  }

  const std::vector<Storage>& m_storage;
  int64_t m_width;
  std::vector<std::vector<uint32_t>> m_buckets; // indices of placements
  std::vector<Placement> m_placements;
  Sorted m_byAddress;
  std::vector<Placed> m_found;  // alive with what is searched for
  std::vector<uint32_t> m_seen; // of each placement: the last search that met it
  uint32_t m_search = 0;
  const Storage* m_for = nullptr;
  reports::Range<int64_t> m_life{0, 0}; // of what is searched for
  bool m_isKnown = false;               // m_found is made
};

} // namespace simcore::compile

#include "simcore/graph/pair_memory.h"

#include "simcore/graph/viewed_layout.h"

#include <algorithm>
#include <list>
#include <unordered_map>

namespace simcore::graph {

PairKey& PairKey::add(const Distribution& layout) {
  add(layout.shape()).add(layout.splits());
  for (std::size_t d = 0; d < layout.shape().size(); ++d) add(layout.part(d));
  add(layout.firstTile()).add(layout.tiles().begin - m_base).add(layout.tiles().size()).add(layout.grid() != nullptr);
  add(layout.isEstimate()).add(layout.gridMatrices());
  add(layout.viewed() != nullptr);
  if (const ViewedLayout* viewed = layout.viewed())
    add(viewed->offset).add(viewed->shape).add(viewed->strides).add(viewed->layout);
  return layout.grid() ? add(*layout.grid()) : *this;
}

PairKey& PairKey::add(const PerTile& bytes) {
  add(int64_t(bytes.runs().size()));
  for (const auto& r : bytes.runs()) add(r.tiles.begin - m_base).add(r.tiles.end - m_base).add(r.value);
  return *this;
}

uint64_t PairKey::hash() const {
  uint64_t h = 14695981039346656037u;
  for (const int64_t n : m_numbers) h = (h ^ uint64_t(n)) * 1099511628211u;
  return h;
}

namespace {
// Limit of the runs that are kept, over all exchanges.
constexpr std::size_t kMostRemembered = std::size_t(1) << 20;

struct Memory {
  struct Entry {
    uint64_t hash = 0;
    std::vector<int64_t> numbers;
    std::shared_ptr<const Pairs> pairs; // tiles count from the base
    std::size_t size() const { return numbers.size() / 4 + pairs->size() + 1; }
  };
  std::list<Entry> entries; // most recently used first
  std::unordered_multimap<uint64_t, std::list<Entry>::iterator> byHash;
  std::size_t size = 0;
};

Pairs moved(Pairs pairs, int64_t by) {
  for (reports::PairRun& run : pairs) run.receiver += int32_t(by), run.sender += int32_t(by);
  return pairs;
}
} // namespace

SharedPairs remembered(const PairKey& key, const std::function<Pairs()>& make) {
  thread_local Memory memory;
  const uint64_t hash = key.hash();
  auto& entries = memory.entries;
  const auto [first, last] = memory.byHash.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (it->second->numbers == key.numbers()) {
      entries.splice(entries.begin(), entries, it->second);
      return {it->second->pairs, key.base()};
    }
  const auto pairs = std::make_shared<const Pairs>(moved(make(), -key.base()));
  entries.push_front({hash, key.numbers(), pairs});
  memory.byHash.emplace(hash, entries.begin());
  memory.size += entries.front().size();
  while (memory.size > kMostRemembered && !entries.empty()) {
    memory.size -= entries.back().size();
    const auto [begin, end] = memory.byHash.equal_range(entries.back().hash);
    memory.byHash.erase(std::find_if(begin, end, [&](const auto& e) { return e.second == std::prev(entries.end()); }));
    entries.pop_back();
  }
  return {pairs, key.base()};
}

} // namespace simcore::graph

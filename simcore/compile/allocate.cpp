#include "simcore/compile/allocate.h"

#include "reports/core/progress.h"
#include "reports/recording/tilescope_trace.h"
#include "simcore/compile/placed_by_time.h"
#include "simcore/compile/radix_sort.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <span>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace simcore::compile {

using reports::roundUp;
using Why = reports::PlacementReason;

namespace {

struct Item {
  uint32_t storage;
  int64_t bytes;
};

uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

// The order in which temporaries get addresses: by bytes, by bytes x live steps, or by live steps; largest value first.
enum class Order { Largest, LargestArea, Longest };
constexpr Order kOrders[] = {Order::Largest, Order::LargestArea, Order::Longest};

// The data that all tiles share.
struct Problem {
  // Compact copy of the properties of a Storage that are read for every tile.
  struct Traits {
    int alignment;
    bool alwaysLive, isCode, isInterleaved, isApart, hasPhase;
  };

  Problem(const arch::Machine& onMachine, const std::vector<Storage>& all, int64_t ordinals)
      : machine(onMachine), storage(all), lifetimes(all, ordinals) {
    traits.reserve(all.size());
    for (const Storage& s : all)
      traits.push_back(
          {s.alignment, s.alwaysLive, reports::isCode(s.category), s.interleaved, !s.apart.empty(), !s.alignmentPhase.empty()});
  }

  const arch::Machine& machine;
  const std::vector<Storage>& storage;
  Lifetimes lifetimes;
  std::vector<Traits> traits;
};

// Working memory for a tile, reused for the next one.
struct Scratch {
  PlacedByTime temporaries;
  std::vector<Keyed> keys, buffer;
  std::vector<Item> code, data, others; // always live: code and data; not always live: others
  std::vector<int64_t> change;
};

class TileAllocator {
public:
  TileAllocator(const Problem& problem, const std::vector<Item>& items, int64_t tile, Scratch& scratch)
      : m_problem(problem), m_machine(problem.machine), m_storage(problem.storage), m_items(items), m_tile(tile),
        m_temporaries(scratch.temporaries), m_scratch(scratch) {
    int64_t alignment = 0, least = INT64_MAX; // common divisor of the alignments; size of the smallest item
    for (const Item& i : m_items) {
      const Traits& traits = of(i);
      if (traits.alwaysLive) continue;
      const int64_t own = phaseOf(i.storage) ? 1 : traits.alignment;
      if (alignment != own) alignment = std::gcd(alignment, own);
      least = std::min(least, i.bytes);
    }
    m_temporaries.begin(problem.lifetimes, std::max<int64_t>(1, alignment), least);
  }

  // Places the variables in `first` before all others, in this order. Returns an empty layout once `stop` is requested, because a
  // tile with 100,000 temporaries takes a while.
  TileLayout run(const std::stop_token& stop, Order order, const std::vector<uint32_t>& first = {}) {
    sortBySize();
    placeAlwaysLive();
    placeTemporaries(stop, order, first);
    if (stop.stop_requested()) return {};
    sortByAddress();
    explainSharing();
    measure();
    return std::move(m_layout);
  }

private:
  using Traits = Problem::Traits;
  const Traits& of(const Item& i) const { return m_problem.traits[i.storage]; }

  int64_t phaseOf(uint32_t storage) const {
    return m_problem.traits[storage].hasPhase ? m_storage[storage].alignmentPhase.at(m_tile) : 0;
  }

  // The lowest address from `from` on at which the item's byte that must be aligned is a multiple of its alignment.
  int64_t aligned(int64_t from, const Item& i) const {
    const int64_t phase = phaseOf(i.storage);
    return roundUpTo(from + phase, of(i).alignment) - phase;
  }

  // A placement that must be apart from the item but would share a memory element with it at `at`; null if there is none.
  const Placement* tooClose(const Item& i, int64_t at) const {
    if (!of(i).isApart) return nullptr;
    const auto& apart = m_storage[i.storage].apart;
    for (const auto* list : {&m_layout.placements, &m_temporaries.placements()})
      for (const Placement& p : *list)
        if (std::find(apart.begin(), apart.end(), p.storage) != apart.end() &&
            shareElement(m_machine, at, i.bytes, p.address, p.size))
          return &p;
    return nullptr;
  }

  // First address after the last memory element of a placement.
  int64_t nextElement(const Placement& p) const {
    const int64_t end = p.address + p.size, start = interleavedStart(), element = m_machine.tile.elementSize.value();
    if (end <= start) return std::min(roundUp(end, element), std::max(start, end));
    return start + roundUp(end - start, 2 * element);
  }

  void placeAlwaysLive() {
    for (const auto* items : {&m_scratch.code, &m_scratch.data})
      for (const Item& i : *items) {
        m_layout.alwaysLiveBytes += i.bytes;
        if (!fillGap(i)) append(i);
      }
    // Data too large for the low region continues in the interleaved region.
    if (m_lowEnd > interleavedStart() && m_interleavedEnd > interleavedStart()) relocateInterleaved();
  }

  void append(const Item& i) {
    const bool isInterleaved = of(i).isInterleaved;
    int64_t& end = isInterleaved ? m_interleavedEnd : m_lowEnd;
    uint32_t& last = isInterleaved ? m_lastInterleaved : m_lastLow;
    Placement p{i.storage, aligned(end, i), i.bytes, 0};
    p.other = last;
    p.why = last == UINT32_MAX ? (isInterleaved ? Why::Region : Why::Lowest) : p.address > end ? Why::Aligned : Why::Behind;
    while (const Placement* near = tooClose(i, p.address)) {
      p.why = Why::Apart;
      p.other = near->storage;
      p.address = aligned(nextElement(*near), i);
    }
    // Gaps in the interleaved region are not filled, because its contents may still move (relocateInterleaved).
    if (p.address > end && !isInterleaved) m_gaps.emplace_back(end, p.address);
    end = p.address + i.bytes;
    last = i.storage;
    m_layout.placements.push_back(p);
  }

  // Puts small variables without constraints into the gaps that element constraints and alignment leave.
  bool fillGap(const Item& i) {
    if (of(i).isInterleaved || of(i).isCode) return false;
    for (auto& [begin, end] : m_gaps) {
      const int64_t at = aligned(begin, i);
      if (at + i.bytes > end || tooClose(i, at)) continue;
      Placement p{i.storage, at, i.bytes, 0};
      p.why = Why::FillsGap;
      m_layout.placements.push_back(p);
      begin = at + i.bytes;
      return true;
    }
    return false;
  }

  // If the low region has grown into the interleaved one, moves the variables placed there to addresses after it.
  void relocateInterleaved() {
    std::vector<Item> moved;
    std::erase_if(m_layout.placements, [&](const Placement& p) {
      if (!m_storage[p.storage].interleaved) return false;
      moved.push_back({p.storage, p.size});
      return true;
    });
    m_interleavedEnd = m_lowEnd;
    m_lastInterleaved = m_lastLow;
    for (const Item& i : moved) append(i);
    m_lowEnd = m_interleavedEnd;
    m_lastLow = m_lastInterleaved;
  }

  // Sorts each kind by bytes, largest first; ties keep the order of the storage.
  void sortBySize() {
    auto& keys = m_scratch.keys;
    keys.resize(m_items.size());
    int64_t most = 0;
    for (const Item& i : m_items) most = std::max(most, i.bytes);
    for (std::size_t i = 0; i < m_items.size(); ++i) keys[i] = {uint64_t(most - m_items[i].bytes), uint32_t(i)};
    radixSort(keys, m_scratch.buffer);
    for (auto* kind : {&m_scratch.code, &m_scratch.data, &m_scratch.others}) kind->clear();
    for (const Keyed& k : keys) {
      const Traits& t = of(m_items[k.index]);
      (!t.alwaysLive ? m_scratch.others : t.isCode ? m_scratch.code : m_scratch.data).push_back(m_items[k.index]);
    }
  }

  int64_t steps(const Item& i) const {
    const Spans& live = m_storage[i.storage].live;
    return std::accumulate(live.begin(), live.end(), int64_t(0), [](int64_t sum, const auto& s) { return sum + s.size(); });
  }

  void placeTemporaries(const std::stop_token& stop, Order order, const std::vector<uint32_t>& first) {
    std::vector<Item>& temporaries = m_scratch.others;
    if (order != Order::Largest) {
      std::vector<std::pair<int64_t, Item>> weighed;
      for (const Item& i : temporaries) weighed.emplace_back(order == Order::LargestArea ? i.bytes * steps(i) : steps(i), i);
      std::stable_sort(weighed.begin(), weighed.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      for (std::size_t i = 0; i < temporaries.size(); ++i) temporaries[i] = weighed[i].second;
    }
    if (!first.empty()) {
      std::unordered_map<uint32_t, std::size_t> places;
      for (std::size_t i = 0; i < first.size(); ++i) places.emplace(first[i], i);
      const auto placeOf = [&](const Item& i) {
        const auto found = places.find(i.storage);
        return found == places.end() ? first.size() : found->second;
      };
      std::stable_sort(temporaries.begin(), temporaries.end(),
                       [&](const Item& a, const Item& b) { return placeOf(a) < placeOf(b); });
    }
    for (const Item& i : temporaries) {
      if (stop.stop_requested()) return;
      const bool isInterleaved = of(i).isInterleaved;
      Placement p = firstFit(i, isInterleaved ? std::max({interleavedStart(), m_interleavedEnd, m_lowEnd}) : m_lowEnd);
      // A planner only prefers the interleaved region, whereas a vertex requires it.
      if (isInterleaved && p.address + i.bytes > m_machine.tile.memory.value() && m_storage[i.storage].demands.empty())
        p = firstFit(i, m_lowEnd);
      m_temporaries.add(p);
    }
  }

  Placement firstFit(const Item& i, int64_t from) {
    m_temporaries.search(i.storage);
    Placement p{i.storage, aligned(from, i), i.bytes, 0};
    const bool inRegion = of(i).isInterleaved && from >= interleavedStart();
    p.why = inRegion ? Why::Region : Why::Lowest;
    if (!inRegion && m_lastLow != UINT32_MAX) p.why = Why::Behind, p.other = m_lastLow;
    // Always-live data in the interleaved region blocks its addresses for all other data.
    const int64_t wallBegin = m_interleavedEnd > interleavedStart() && m_lowEnd <= interleavedStart() ? interleavedStart() : 0;
    const int64_t wallEnd = wallBegin ? m_interleavedEnd : 0;
    const auto goBehind = [&](int64_t end, uint32_t other) {
      p.address = aligned(end, i);
      p.why = p.address > end ? Why::Aligned : Why::Behind;
      p.other = other;
    };
    auto skipWall = [&] {
      if (wallEnd && p.address < wallEnd && p.address + i.bytes > wallBegin) goBehind(wallEnd, m_lastInterleaved);
    };
    for (;;) {
      skipWall();
      m_temporaries.walk(p.address, i.bytes, [&](int64_t end, uint32_t other) {
        goBehind(end, other);
        skipWall();
      });
      const Placement* near = tooClose(i, p.address);
      if (!near) return p;
      p.address = aligned(std::max(nextElement(*near), p.address + 1), i);
      p.why = Why::Apart;
      p.other = near->storage;
    }
  }

  int64_t interleavedStart() const { return m_machine.tile.interleavedStart.value(); }

  // All placements by address; at the same address, in the order of placement.
  void sortByAddress() {
    auto& keys = m_scratch.keys;
    keys.clear();
    const std::array lists{std::span<const Placement>(m_layout.placements),
                           std::span<const Placement>(m_temporaries.placements())};
    for (const auto& list : lists)
      for (const Placement& p : list) keys.push_back({uint64_t(p.address), uint32_t(keys.size())});
    radixSort(keys, m_scratch.buffer);
    std::vector<Placement> sorted(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::size_t index = keys[i].index;
      sorted[i] = index < lists[0].size() ? lists[0][index] : lists[1][index - lists[0].size()];
    }
    m_layout.placements = std::move(sorted);
  }

  // Sets `why` for variables that share addresses, which they do only if they are never live together.
  void explainSharing() {
    Placement* farthest = nullptr;
    for (Placement& p : m_layout.placements) {
      if (farthest && p.address < farthest->address + farthest->size && p.size > 0)
        for (auto [one, another] : {std::pair(&p, farthest), std::pair(farthest, &p)})
          if (one->why != Why::Region && one->why != Why::Apart && one->why != Why::Shares) {
            one->why = Why::Shares;
            one->other = another->storage;
          }
      if (!farthest || p.address + p.size > farthest->address + farthest->size) farthest = &p;
    }
  }

  void measure() {
    const auto& memory = m_machine.tile.memory;
    int64_t covered = 0;
    for (Placement& p : m_layout.placements) {
      const int64_t begin = std::max(p.address, covered), end = p.address + p.size;
      p.ownBytes = std::max<int64_t>(0, end - begin);
      covered = std::max(covered, end);
      if (!p.ownBytes) continue;
      m_layout.totalBytes += p.ownBytes;
      m_layout.overflowBytes += std::max<int64_t>(0, end - std::max(begin, memory.value()));
      m_layout.interleavedBytes += std::max<int64_t>(0, std::min(end, memory.value()) - std::max(begin, interleavedStart()));
    }
    m_layout.extentBytes = covered;
    auto& change = m_scratch.change;
    change.assign(std::size_t(m_problem.lifetimes.ordinals()) + 1, 0);
    for (const Item& i : m_items)
      for (const Lifetimes::Life& life : m_problem.lifetimes.of(i.storage)) {
        change[life.begin] += i.bytes;
        change[life.end] -= i.bytes;
      }
    int64_t at = 0;
    for (int64_t c : change) m_layout.peakNotAlwaysLiveBytes = std::max(m_layout.peakNotAlwaysLiveBytes, at += c);
    m_layout.liveLowerBound = m_layout.alwaysLiveBytes + m_layout.peakNotAlwaysLiveBytes;
  }

  const Problem& m_problem;
  const arch::Machine& m_machine;
  const std::vector<Storage>& m_storage;
  const std::vector<Item>& m_items;
  int64_t m_tile;
  TileLayout m_layout;
  PlacedByTime& m_temporaries;
  Scratch& m_scratch;
  std::vector<std::pair<int64_t, int64_t>> m_gaps;
  int64_t m_lowEnd = 0;
  int64_t m_interleavedEnd = m_machine.tile.interleavedStart.value();
  uint32_t m_lastLow = UINT32_MAX, m_lastInterleaved = UINT32_MAX;
};

// By tile of `tiles`, which ascends: the variables on it.
std::vector<std::vector<Item>> itemsOn(const std::vector<Storage>& storage, std::span<const int64_t> tiles) {
  std::vector<std::vector<Item>> items(tiles.size());
  for (std::size_t s = 0; s < storage.size(); ++s) {
    const auto& runs = storage[s].bytes.runs();
    auto run = std::partition_point(runs.begin(), runs.end(), [&](const auto& r) { return r.tiles.end <= tiles.front(); });
    for (std::size_t t = 0; t < tiles.size() && run != runs.end();) {
      if (run->tiles.end <= tiles[t]) {
        ++run;
        continue;
      }
      if (run->tiles.contains(tiles[t]) && run->value) items[t].push_back({uint32_t(s), run->value});
      ++t;
    }
  }
  return items;
}

// Attempts per order, each of which first places the temporaries that ended beyond the memory.
constexpr int kRounds = 16;
constexpr std::size_t kMostLaidOutAgain = 8192; // variables of a tile: with more, 51 layouts take half a minute
// If the bytes live at once exceed a tile's memory by more than 1/8, the program cannot fit, so only one layout is computed.
constexpr int64_t kFarTooMuch = 8;

// Lays out a tile again if every order overflows although the bytes live at once would fit: each round first places the
// temporaries that ended beyond the memory, until all fit.
TileLayout laidOutAgain(const Problem& problem, const std::vector<Item>& items, int64_t tile, TileLayout best,
                        const std::stop_token& stop) {
  Scratch scratch;
  for (const Order order : kOrders) {
    std::vector<uint32_t> first;
    for (int round = 0; round <= kRounds && best.overflowBytes > 0; ++round) {
      TileLayout layout = TileAllocator(problem, items, tile, scratch).run(stop, order, first);
      if (stop.stop_requested()) return best;
      std::vector<uint32_t> beyond;
      for (const Placement& p : layout.placements)
        if (!problem.traits[p.storage].alwaysLive && p.address + p.size > problem.machine.tile.memory.value())
          beyond.push_back(p.storage);
      const std::unordered_set<uint32_t> isBeyond(beyond.begin(), beyond.end());
      for (const uint32_t s : first)
        if (!isBeyond.contains(s)) beyond.push_back(s);
      first = std::move(beyond);
      if (layout.overflowBytes < best.overflowBytes) best = std::move(layout);
    }
  }
  return best;
}

// Tiles that overflow only because of gaps are laid out again, the fullest first. If one of them still overflows, the others are
// skipped, because the program does not fit. `exemplar` is one tile of each layout.
void layOutAgain(const Problem& problem, const std::vector<int64_t>& exemplar, std::vector<TileLayout>& layouts,
                 const std::stop_token& stop) {
  std::vector<std::size_t> tight;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (layouts[i].overflowBytes == 0) continue;
    if (layouts[i].liveLowerBound > problem.machine.tile.memory.value()) return;
    tight.push_back(i);
  }
  std::stable_sort(tight.begin(), tight.end(),
                   [&](std::size_t a, std::size_t b) { return layouts[a].overflowBytes > layouts[b].overflowBytes; });
  constexpr std::size_t kAtOnce = 16;
  for (std::size_t begin = 0; begin < tight.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, tight.size() - begin);
    tbb::parallel_for(begin, begin + count, [&](std::size_t k) {
      TileLayout& layout = layouts[tight[k]];
      const int64_t tile = exemplar[tight[k]];
      const std::vector<Item> items = itemsOn(problem.storage, std::span(&tile, 1)).front();
      if (items.size() > kMostLaidOutAgain) return;
      layout = laidOutAgain(problem, items, tile, std::move(layout), stop);
    });
    for (std::size_t k = begin; k < begin + count; ++k)
      if (stop.stop_requested() || layouts[tight[k]].overflowBytes > 0) return;
  }
}

} // namespace

bool shareElement(const arch::Machine& machine, int64_t addressA, int64_t sizeA, int64_t addressB, int64_t sizeB) {
  if (sizeA <= 0 || sizeB <= 0) return false;
  const int64_t start = machine.tile.interleavedStart.value(), element = machine.tile.elementSize.value();
  const auto of = [&](int64_t address) {
    return address < start ? address / element : reports::ceilDiv(start, element) + (address - start) / (2 * element);
  };
  return of(addressA) <= of(addressB + sizeB - 1) && of(addressB) <= of(addressA + sizeA - 1);
}

Allocation allocate(const arch::Machine& machine, const std::vector<Storage>& storage, int64_t ordinals, std::stop_token stop,
                    const std::function<void(double)>& done) {
  const int64_t tiles = machine.tiles();
  // Tiles with equal contents have equal sums of hashes of (storage, bytes).
  std::vector<uint64_t> hashes(std::size_t(tiles), 0);
  for (std::size_t s = 0; s < storage.size(); ++s)
    for (const auto& r : storage[s].bytes.runs()) {
      const uint64_t h = mix(uint64_t(s) * 0x9e3779b97f4a7c15ull + mix(uint64_t(r.value)));
      for (int64_t t = r.tiles.begin; t < r.tiles.end; ++t) hashes[std::size_t(t)] += h;
    }
  for (std::size_t s = 0; s < storage.size(); ++s)
    for (const auto& r : storage[s].alignmentPhase.runs())
      for (int64_t t = r.tiles.begin; t < r.tiles.end; ++t) hashes[std::size_t(t)] += mix(mix(uint64_t(s)) + uint64_t(r.value));
  Allocation out;
  out.layoutOfTile.resize(std::size_t(tiles));
  std::unordered_map<uint64_t, uint32_t> layoutByHash;
  std::vector<int64_t> exemplar;
  for (int64_t t = 0; t < tiles; ++t) {
    const auto [it, added] = layoutByHash.emplace(hashes[std::size_t(t)], uint32_t(exemplar.size()));
    if (added) exemplar.push_back(t);
    out.layoutOfTile[std::size_t(t)] = it->second;
  }
  out.layouts.resize(exemplar.size());
  const Problem problem(machine, storage, ordinals);
  // Tiles in blocks: one pass over the storage collects the variables of a block.
  constexpr std::size_t kBlock = 32;
  static const tilescope_trace::Channel channel("compile"); // each block is a slice of the thread that places it
  const std::thread::id caller = std::this_thread::get_id();
  const std::size_t blocks = (exemplar.size() + kBlock - 1) / kBlock;
  std::atomic<std::size_t> placed = 0;
  tbb::parallel_for(std::size_t(0), blocks, [&](std::size_t block) {
    if (stop.stop_requested()) return;
    const tilescope_trace::Scope scope(channel, "place tiles");
    static thread_local bool isNamed = false;
    if (channel.isActive() && !isNamed && std::this_thread::get_id() != caller) {
      tilescope_trace::nameThread("worker");
      isNamed = true;
    }
    const std::size_t first = block * kBlock, end = std::min(exemplar.size(), first + kBlock);
    const std::vector<std::vector<Item>> items = itemsOn(storage, std::span(exemplar).subspan(first, end - first));
    Scratch scratch;
    for (std::size_t i = first; i < end; ++i) {
      TileLayout& best = out.layouts[i];
      for (const Order order : kOrders) { // later orders only if the first one overflows and a better layout is possible
        TileLayout layout = TileAllocator(problem, items[i - first], exemplar[i], scratch).run(stop, order);
        if (order == kOrders[0] || layout.overflowBytes < best.overflowBytes) best = std::move(layout);
        if (best.overflowBytes == 0 || best.totalBytes <= best.liveLowerBound) break;
        if (best.liveLowerBound > machine.tile.memory.value() + machine.tile.memory.value() / kFarTooMuch) break;
      }
    }
    ++placed;
    if (done && std::this_thread::get_id() == caller) done(double(placed) / double(blocks));
  });
  reports::throwIfStopped(stop);
  layOutAgain(problem, exemplar, out.layouts, stop);
  reports::throwIfStopped(stop);
  for (int64_t t = 0; t < tiles; ++t) {
    const TileLayout& l = out.layouts[out.layoutOfTile[std::size_t(t)]];
    if (l.totalBytes > out.maxTileBytes) {
      out.maxTileBytes = l.totalBytes;
      out.maxTile = t;
    }
    out.overflowTiles += l.overflowBytes > 0;
  }
  return out;
}

} // namespace simcore::compile

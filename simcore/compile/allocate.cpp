#include "simcore/compile/allocate.h"

#include "reports/core/progress.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <unordered_map>

namespace simcore::compile {

using reports::roundUp;

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

bool alive(const Storage& a, const Storage& b) { // at the same time
  if (a.alwaysLive || b.alwaysLive) return true;
  std::size_t i = 0, j = 0;
  while (i < a.live.size() && j < b.live.size()) {
    if (a.live[i].overlaps(b.live[j])) return true;
    (a.live[i].end < b.live[j].end ? i : j)++;
  }
  return false;
}

class TileAllocator {
public:
  TileAllocator(const arch::Machine& machine, const std::vector<Storage>& storage, std::vector<Item> items)
      : m_machine(machine), m_storage(storage), m_items(std::move(items)) {}

  TileLayout run(int64_t ordinals) {
    placeAlwaysLive();
    placeTemporaries();
    measure(ordinals);
    return std::move(m_layout);
  }

private:
  const Storage& of(const Item& i) const { return m_storage[i.storage]; }

  void placeAlwaysLive() {
    std::vector<Item> always;
    for (const Item& i : m_items)
      if (of(i).alwaysLive) always.push_back(i);
    std::stable_sort(always.begin(), always.end(), [&](const Item& a, const Item& b) {
      const bool codeA = reports::isCode(of(a).category), codeB = reports::isCode(of(b).category);
      if (codeA != codeB) return codeA;
      return a.bytes > b.bytes;
    });
    for (const Item& i : always) {
      int64_t& end = of(i).interleaved ? m_interleavedEnd : m_lowEnd;
      end = roundUp(end, of(i).alignment);
      m_layout.placements.push_back({i.storage, end, i.bytes, 0});
      end += i.bytes;
      m_layout.alwaysLiveBytes += i.bytes;
    }
    // Data that outgrew the low region runs into the interleaved one.
    if (m_lowEnd > interleavedStart() && m_interleavedEnd > interleavedStart()) relocateInterleaved();
  }

  // The low region reaches into the interleaved one: what was put there moves up behind it.
  void relocateInterleaved() {
    int64_t end = m_lowEnd;
    for (Placement& p : m_layout.placements)
      if (m_storage[p.storage].interleaved) {
        end = roundUp(end, m_storage[p.storage].alignment);
        p.address = end;
        end += p.size;
      }
    m_lowEnd = m_interleavedEnd = end;
  }

  void placeTemporaries() {
    std::vector<Item> temporaries;
    for (const Item& i : m_items)
      if (!of(i).alwaysLive) temporaries.push_back(i);
    std::stable_sort(temporaries.begin(), temporaries.end(), [](const Item& a, const Item& b) { return a.bytes > b.bytes; });
    std::vector<Placement> placed; // temporaries only, by address
    for (const Item& i : temporaries) {
      const Storage& s = of(i);
      int64_t at = firstFit(placed, s, i.bytes, s.interleaved ? std::max(interleavedStart(), m_interleavedEnd) : m_lowEnd);
      if (s.interleaved && at + i.bytes > m_machine.tile.memory.value()) at = firstFit(placed, s, i.bytes, m_lowEnd);
      const Placement p{i.storage, at, i.bytes, 0};
      placed.insert(std::upper_bound(placed.begin(), placed.end(), p,
                                     [](const Placement& a, const Placement& b) { return a.address < b.address; }),
                    p);
    }
    m_layout.placements.insert(m_layout.placements.end(), placed.begin(), placed.end());
  }

  int64_t firstFit(const std::vector<Placement>& placed, const Storage& s, int64_t bytes, int64_t from) const {
    int64_t at = roundUp(from, s.alignment);
    // Always-live data in the interleaved region is an obstacle for everything.
    const int64_t wallBegin = m_interleavedEnd > interleavedStart() && m_lowEnd <= interleavedStart() ? interleavedStart() : 0;
    const int64_t wallEnd = wallBegin ? m_interleavedEnd : 0;
    auto skipWall = [&] {
      if (wallEnd && at < wallEnd && at + bytes > wallBegin) at = roundUp(wallEnd, s.alignment);
    };
    skipWall();
    for (const Placement& p : placed) {
      if (p.address + p.size <= at || !alive(s, m_storage[p.storage])) continue;
      if (p.address >= at + bytes) break;
      at = roundUp(p.address + p.size, s.alignment);
      skipWall();
    }
    return at;
  }

  int64_t interleavedStart() const { return m_machine.tile.interleavedStart.value(); }

  void measure(int64_t ordinals) {
    auto& list = m_layout.placements;
    std::stable_sort(list.begin(), list.end(), [](const Placement& a, const Placement& b) { return a.address < b.address; });
    const int64_t memory = m_machine.tile.memory.value();
    int64_t covered = 0;
    for (Placement& p : list) {
      const int64_t begin = std::max(p.address, covered), end = p.address + p.size;
      p.ownBytes = std::max<int64_t>(0, end - begin);
      covered = std::max(covered, end);
      if (!p.ownBytes) continue;
      m_layout.totalBytes += p.ownBytes;
      m_layout.overflowBytes += std::max<int64_t>(0, end - std::max(begin, memory));
      m_layout.interleavedBytes += std::max<int64_t>(0, std::min(end, memory) - std::max(begin, interleavedStart()));
    }
    m_layout.extentBytes = covered;
    std::vector<int64_t> change(std::size_t(ordinals) + 1, 0);
    for (const Item& i : m_items)
      for (const auto& span : of(i).live) {
        change[std::size_t(span.begin)] += i.bytes;
        change[std::size_t(std::min(span.end, ordinals))] -= i.bytes;
      }
    int64_t at = 0;
    for (int64_t c : change) m_layout.peakNotAlwaysLiveBytes = std::max(m_layout.peakNotAlwaysLiveBytes, at += c);
    m_layout.liveLowerBound = m_layout.alwaysLiveBytes + m_layout.peakNotAlwaysLiveBytes;
  }

  const arch::Machine& m_machine;
  const std::vector<Storage>& m_storage;
  std::vector<Item> m_items;
  TileLayout m_layout;
  int64_t m_lowEnd = 0;
  int64_t m_interleavedEnd = m_machine.tile.interleavedStart.value();
};

} // namespace

Allocation allocate(const arch::Machine& machine, const std::vector<Storage>& storage, int64_t ordinals, std::stop_token stop) {
  const int64_t tiles = machine.tiles();
  // Tiles with equal contents have equal sums of mixed (storage, bytes) hashes.
  std::vector<uint64_t> hashes(std::size_t(tiles), 0);
  for (std::size_t s = 0; s < storage.size(); ++s)
    for (const auto& r : storage[s].bytes.runs()) {
      const uint64_t h = mix(uint64_t(s) * 0x9e3779b97f4a7c15ull + mix(uint64_t(r.value)));
      for (int64_t t = r.tiles.begin; t < r.tiles.end; ++t) hashes[std::size_t(t)] += h;
    }
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
  tbb::parallel_for(std::size_t(0), exemplar.size(), [&](std::size_t i) {
    if (stop.stop_requested()) return;
    std::vector<Item> items;
    for (std::size_t s = 0; s < storage.size(); ++s)
      if (const int64_t bytes = storage[s].bytes.at(exemplar[i])) items.push_back({uint32_t(s), bytes});
    out.layouts[i] = TileAllocator(machine, storage, std::move(items)).run(ordinals);
  });
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

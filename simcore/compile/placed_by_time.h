// Placed storage by when it is alive, so that a search for a free place costs about the same however much is placed. Time is cut into a
// tree of eighths. A node knows the addresses taken during all of its time and those taken at some moment of it, as ranges that were
// merged: what waits for a backward pass lies on top of each other and is one range. Only moments count at which something begins or ends.
// The tree of a long program is larger than a core's cache and most of its lists are empty: a byte of each node says which are not, and
// the lives of the items are copied into one array, in moments.
#pragma once

#include "simcore/compile/allocate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simcore::compile {

using Spans = std::vector<reports::Range<int64_t>>;

// Addresses [begin, end) that nothing can take. `other` is the storage that ends there; `beyond` are bytes behind it where nothing can begin.
struct Taken {
  int64_t begin, end;
  uint32_t other, beyond;
};
// Ascending ranges with gaps between them in which `least` bytes have room.
class TakenRanges {
public:
  const std::vector<Taken>& ranges() const { return m_ranges; }
  void clear() { m_ranges.clear(); }
  void add(const Taken& t, int64_t least) {
    auto at = std::partition_point(m_ranges.begin(), m_ranges.end(), [&](const Taken& r) { return t.begin - r.end >= least; });
    if (at == m_ranges.end() || at->begin - t.end >= least) {
      m_ranges.insert(at, t);
      return;
    }
    at->begin = std::min(at->begin, t.begin);
    const auto reach = [&](const Taken& other) {
      if (other.end > at->end) at->end = other.end, at->other = other.other, at->beyond = other.beyond;
    };
    reach(t);
    auto behind = at + 1;
    for (; behind != m_ranges.end() && behind->begin - at->end < least; ++behind) reach(*behind);
    m_ranges.erase(at + 1, behind);
  }

private:
  std::vector<Taken> m_ranges;
};

class PlacedByTime {
public:
  // For these items alone, whose addresses are multiples of `alignment` and which have `least` bytes or more. Kept for the next tile, it
  // has its memory already.
  void begin(const std::vector<Storage>& storage, int64_t ordinals, const std::vector<uint32_t>& items, int64_t alignment,
             int64_t least) {
    m_storage = &storage;
    m_alignment = alignment, m_least = least;
    m_placements.clear();
    for (std::size_t i = 0; i < m_filled.size(); ++i)
      if (std::exchange(m_filled[i], 0)) m_nodes[i].clear();
    const int64_t moments = numberMoments(ordinals, items);
    numberLives(items);
    int64_t leaves = 1, nodes = 0;
    while (leaves < moments) leaves *= kBranches;
    m_firstOfLevel.clear();
    for (; leaves >= 1; leaves /= kBranches) {
      m_firstOfLevel.push_back(nodes);
      nodes += leaves;
    }
    if (int64_t(m_nodes.size()) < nodes) {
      m_nodes.resize(std::size_t(nodes));
      m_filled.resize(std::size_t(nodes), 0);
    }
  }

  const std::vector<Placement>& placements() const { return m_placements; }

  void add(const Placement& p) {
    m_placements.push_back(p);
    const Taken taken = takenBy(p);
    for (const Kind kind : {Own, Waiting})
      for (const Life& life : livesOf(p.storage, kind))
        forEachNode(life, [&](std::size_t node, bool isWhole) {
          Node& n = m_nodes[node];
          if (isWhole) n.always[kind].add(taken, m_least);
          n.everTaken[kind].add(taken, m_least);
          m_filled[node] |= uint8_t((isWhole ? kAlways << kind : 0) | kEver << kind);
        });
  }

  // Begins a search for a place of this storage. Valid until the next add() or search.
  void search(uint32_t storage) {
    m_lists.clear();
    for (const Kind kind : {Own, Waiting})
      for (const Life& life : livesOf(storage, kind))
        forEachNode(life, [&](std::size_t node, bool isWhole) {
          const int filled = m_filled[node] & (isWhole ? kEver * kBoth : kAlways * kBoth);
          if (!filled) return;
          const Node& n = m_nodes[node];
          for (const Kind other : {Own, Waiting}) { // two that only wait are not in each other's way
            if (kind == Waiting && other == Waiting) continue;
            if (filled & (kAlways | kEver) << other) list(isWhole ? n.everTaken[other] : n.always[other]);
          }
        });
  }

  // By address, whatever is alive with the searched storage and in the way of `bytes` at `address`; `isInTheWay` may move it up.
  template<class F> void walk(const int64_t& address, int64_t bytes, F isInTheWay) {
    for (bool isFree = false; !isFree;) {
      isFree = true;
      for (List& l : m_lists)
        for (l.skipTo(address); l.at != l.end && l.at->begin < address + bytes; l.skipTo(address)) {
          isInTheWay(l.at->end - l.at->beyond, l.at->other);
          isFree = false;
        }
    }
  }

private:
  enum Kind { Own, Waiting };
  // Bits of m_filled, shifted by the kind; kBoth makes them those of both kinds.
  static constexpr int kAlways = 1, kEver = 4, kBoth = 3;
  struct Life { // in moments
    uint32_t begin, end;
  };
  struct Lives { // where those of a storage are in m_lives
    uint32_t own, waiting, end;
  };
  struct Node {
    std::array<TakenRanges, 2> always, everTaken; // by kind; `always` if not in the node above
    void clear() {
      for (auto* lists : {&always, &everTaken})
        for (TakenRanges& l : *lists) l.clear();
    }
  };
  struct List {
    const Taken *at, *end;
    // To the first range that ends behind `address`.
    void skipTo(int64_t address) {
      std::ptrdiff_t stride = 1;
      for (; stride <= end - at && at[stride - 1].end <= address; stride *= 2) at += stride;
      at = std::partition_point(at, std::min(end, at + stride), [&](const Taken& t) { return t.end <= address; });
    }
  };

  static constexpr int64_t kBranches = 8;

  static const Spans& spansOf(const Storage& s, Kind kind) { return kind == Own ? s.ownLive() : s.waiting; }

  Taken takenBy(const Placement& p) const {
    const int64_t end = p.address + p.size, next = reports::roundUp(end, m_alignment);
    return {p.address, next, p.storage, uint32_t(next - end)};
  }

  std::span<const Life> livesOf(uint32_t storage, Kind kind) const {
    const Lives& at = m_livesOf[storage];
    const uint32_t begin = kind == Own ? at.own : at.waiting, end = kind == Own ? at.waiting : at.end;
    return {m_lives.data() + begin, end - begin};
  }

  void list(const TakenRanges& t) { m_lists.push_back({t.ranges().data(), t.ranges().data() + t.ranges().size()}); }

  // Numbers the ordinals at which a life begins or ends, so that a leaf is the time from one to the next; gives how many leaves there are.
  int64_t numberMoments(int64_t ordinals, const std::vector<uint32_t>& items) {
    m_momentOf.assign(std::size_t(ordinals) + 1, 0);
    const auto note = [&](int64_t ordinal) { m_momentOf[std::size_t(std::min(ordinal, ordinals))] = 1; };
    for (const uint32_t item : items)
      for (const Kind kind : {Own, Waiting})
        for (const auto& span : spansOf((*m_storage)[item], kind)) {
          note(span.begin);
          note(span.end);
        }
    uint32_t moments = 0;
    for (uint32_t& m : m_momentOf) moments += std::exchange(m, moments);
    return moments;
  }

  void numberLives(const std::vector<uint32_t>& items) {
    const auto momentOf = [&](int64_t ordinal) { return m_momentOf[std::min(std::size_t(ordinal), m_momentOf.size() - 1)]; };
    m_lives.clear();
    m_livesOf.resize(m_storage->size());
    for (const uint32_t item : items) {
      const Storage& s = (*m_storage)[item];
      Lives& at = m_livesOf[item];
      at.own = uint32_t(m_lives.size());
      for (const auto& span : spansOf(s, Own)) m_lives.push_back({momentOf(span.begin), momentOf(span.end)});
      at.waiting = uint32_t(m_lives.size());
      for (const auto& span : spansOf(s, Waiting)) m_lives.push_back({momentOf(span.begin), momentOf(span.end)});
      at.end = uint32_t(m_lives.size());
    }
  }

  // The nodes that are wholly within the life, but none below another, and those above them.
  template<class F> void forEachNode(const Life& life, F f) {
    // Of a level [first, last) have a part of the life, [wholeFirst, wholeLast) are within it.
    int64_t first = life.begin, last = life.end, wholeFirst = first, wholeLast = last;
    if (first >= last) return;
    for (std::size_t level = 0; level < m_firstOfLevel.size(); ++level) {
      int64_t above = reports::ceilDiv(wholeFirst, kBranches), aboveEnd = wholeLast / kBranches; // whole nodes of the next level
      if (level + 1 == m_firstOfLevel.size() || above >= aboveEnd) above = aboveEnd = 0;
      for (int64_t i = first; i < last; ++i) {
        if (i >= above * kBranches && i < aboveEnd * kBranches) {
          i = aboveEnd * kBranches - 1;
          continue;
        }
        f(std::size_t(m_firstOfLevel[level] + i), i >= wholeFirst && i < wholeLast);
      }
      first /= kBranches;
      last = reports::ceilDiv(last, kBranches);
      wholeFirst = above, wholeLast = aboveEnd;
    }
  }

  const std::vector<Storage>* m_storage = nullptr;
  int64_t m_alignment = 1, m_least = 1;
  std::vector<uint32_t> m_momentOf;    // by ordinal: how many moments are before it
  std::vector<int64_t> m_firstOfLevel; // leaves first
  std::vector<Node> m_nodes;
  std::vector<uint8_t> m_filled; // by node: which of its lists are not empty
  std::vector<Life> m_lives;
  std::vector<Lives> m_livesOf; // by storage; only of the items
  std::vector<Placement> m_placements;
  std::vector<List> m_lists; // of the search
};

} // namespace simcore::compile

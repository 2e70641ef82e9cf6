// Index of placed storage by lifetime, in which the search for a free address takes about the same time for any number of
// placements. Time is a tree with eight branches per node. A leaf is the time between two moments at which a life begins or ends.
// A node has the addresses taken during all of its time, and those taken at any moment of it, as merged ranges: variables that
// wait for a backward pass share addresses and become one range. The tree of a long program is larger than a core's cache, and
// most lists are empty or have one range. So a byte per node marks non-empty lists, the first range needs no allocation, and all
// tiles share one array of lives.
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

// Like reports::roundUp, but without a division for a power of two.
inline int64_t roundUpTo(int64_t address, int64_t alignment) {
  const bool isPower = (alignment & (alignment - 1)) == 0;
  return isPower ? (address + alignment - 1) & -alignment : reports::roundUp(address, alignment);
}

// The lifetimes of each storage, and their nodes in the tree over time; the same for all tiles.
class Lifetimes {
public:
  struct Life { // in ordinals
    uint32_t begin, end;
  };
  enum Kind { Own, Waiting };
  // A node that overlaps a life.
  class Visit {
  public:
    Visit(uint32_t node, bool isWhole, bool isAbove, bool isAlone)
        : m_bits(node << 3 | uint32_t(isAlone) << 2 | uint32_t(isAbove) << 1 | uint32_t(isWhole)) {}
    uint32_t node() const { return m_bits >> 3; }
    bool isWhole() const { return m_bits & 1; } // the node is within the life
    bool isAbove() const { return m_bits & 2; } // no node of its level or of higher levels is within the life
    bool isAlone() const { return m_bits & 4; } // the life is within the node, so all nodes visited before are below it

  private:
    uint32_t m_bits;
  };

  Lifetimes(const std::vector<Storage>& storage, int64_t ordinals) : m_ordinals(ordinals) {
    const std::vector<uint32_t> momentOf = numberMoments(storage);
    uint32_t nodes = 0;
    for (uint32_t ofLevel = std::max(1u, momentOf.back() + 1);; ofLevel = (ofLevel + kBranches - 1) / kBranches) {
      m_firstOfLevel.push_back(nodes);
      nodes += ofLevel;
      if (ofLevel <= kBranches) break; // a further level would add a visit for each life
    }
    m_firstOfLevel.push_back(nodes);
    const auto addVisits = [&](const Spans& spans) {
      for (const auto& span : spans) visit(momentOf[clamped(span.begin)], momentOf[clamped(span.end)]);
      return uint32_t(m_visits.size());
    };
    m_of.reserve(storage.size() + 1);
    for (const Storage& s : storage) {
      Of& of = m_of.emplace_back();
      of.live = uint32_t(m_lives.size());
      for (const auto& span : s.live) m_lives.push_back({clamped(span.begin), clamped(span.end)});
      of.own = uint32_t(m_visits.size());
      of.waiting = addVisits(s.ownLive());
      addVisits(s.waiting);
      m_waits = m_waits || !s.waiting.empty();
    }
    m_of.push_back({uint32_t(m_lives.size()), uint32_t(m_visits.size()), 0});
  }

  int64_t ordinals() const { return m_ordinals; }
  uint32_t nodes() const { return m_firstOfLevel.back(); }
  uint32_t leaves() const { return m_firstOfLevel[1]; } // their numbers come first
  bool anyWaits() const { return m_waits; }
  std::span<const Life> of(uint32_t storage) const {
    return {m_lives.data() + m_of[storage].live, m_of[storage + 1].live - m_of[storage].live};
  }
  // For each life, from the leaves upwards: the topmost nodes that are completely within the life, and all nodes above them.
  std::span<const Visit> visits(uint32_t storage, Kind kind) const {
    const Of& at = m_of[storage];
    const uint32_t begin = kind == Own ? at.own : at.waiting, end = kind == Own ? at.waiting : m_of[storage + 1].own;
    return {m_visits.data() + begin, end - begin};
  }

private:
  static constexpr uint32_t kBranches = 8;
  struct Of { // indices of the first entries of a storage
    uint32_t live, own, waiting;
  };

  uint32_t clamped(int64_t ordinal) const { return uint32_t(std::min(ordinal, m_ordinals)); }

  // For each ordinal: the number of moments before it at which a life begins or ends. A leaf is the time between two such
  // moments.
  std::vector<uint32_t> numberMoments(const std::vector<Storage>& storage) const {
    std::vector<uint32_t> momentOf(std::size_t(m_ordinals) + 1, 0);
    for (const Storage& s : storage)
      for (const Spans* spans : {&s.ownLive(), &s.waiting})
        for (const auto& span : *spans) momentOf[clamped(span.begin)] = momentOf[clamped(span.end)] = 1;
    uint32_t moments = 0;
    for (uint32_t& m : momentOf) moments += std::exchange(m, moments);
    return momentOf;
  }

  void visit(uint32_t first, uint32_t last) {
    // On a level, nodes [first, last) overlap the life, and nodes [wholeFirst, wholeLast) are within it.
    uint32_t wholeFirst = first, wholeLast = last;
    if (first >= last) return;
    for (std::size_t level = 0; level + 1 < m_firstOfLevel.size(); ++level) {
      uint32_t above = (wholeFirst + kBranches - 1) / kBranches,
               aboveEnd = wholeLast / kBranches; // whole nodes of the next level
      if (level + 2 == m_firstOfLevel.size() || above >= aboveEnd) above = aboveEnd = 0;
      const auto collect = [&](uint32_t begin, uint32_t end) {
        for (uint32_t i = begin; i < end; ++i)
          m_visits.emplace_back(m_firstOfLevel[level] + i, i >= wholeFirst && i < wholeLast, wholeFirst >= wholeLast,
                                last - first == 1);
      };
      collect(first, aboveEnd ? above * kBranches : last);
      if (aboveEnd) collect(aboveEnd * kBranches, last);
      first /= kBranches;
      last = (last + kBranches - 1) / kBranches;
      wholeFirst = above, wholeLast = aboveEnd;
    }
  }

  int64_t m_ordinals;
  std::vector<uint32_t> m_firstOfLevel; // leaves first; the last entry is the number of nodes
  std::vector<Life> m_lives;
  std::vector<Visit> m_visits;
  std::vector<Of> m_of; // one per storage, plus an end
  bool m_waits = false;
};

// Taken addresses [begin, end). The storage `other` ends at `end`; the `beyond` bytes after it must stay free.
struct Taken {
  int64_t begin, end;
  uint32_t other, beyond;

  void reach(const Taken& t) {
    if (t.end > end) end = t.end, other = t.other, beyond = t.beyond;
  }
};
// Ascending ranges with gaps of at least `least` bytes between them.
class TakenRanges {
public:
  std::span<const Taken> ranges() const { return m_several.empty() ? std::span(&m_one, 1) : std::span<const Taken>(m_several); }
  // Returns whether the addresses were already taken, so that nothing changed. If `isFilled` is false, the ranges belong to
  // another tile and are dropped first.
  bool add(const Taken& t, int64_t least, bool isFilled) {
    if (!isFilled) return only(t), false;
    if (!m_several.empty()) return addToSeveral(t, least);
    if (t.begin >= m_one.begin && t.end <= m_one.end) return true;
    if (t.begin - m_one.end < least && m_one.begin - t.end < least) {
      m_one.begin = std::min(m_one.begin, t.begin);
      m_one.reach(t);
    } else {
      m_several.push_back(t.begin < m_one.begin ? t : m_one);
      m_several.push_back(t.begin < m_one.begin ? m_one : t);
    }
    return false;
  }

private:
  void only(const Taken& t) {
    m_one = t;
    m_several.clear();
  }

  bool addToSeveral(const Taken& t, int64_t least) {
    auto at = m_several.begin();
    if (t.begin - at->end >= least)
      at = std::partition_point(at + 1, m_several.end(), [&](const Taken& r) { return t.begin - r.end >= least; });
    if (at == m_several.end() || at->begin - t.end >= least) {
      m_several.insert(at, t);
      return false;
    }
    if (t.begin >= at->begin && t.end <= at->end) return true;
    at->begin = std::min(at->begin, t.begin);
    if (t.end <= at->end) return false;
    at->reach(t);
    auto behind = at + 1;
    for (; behind != m_several.end() && behind->begin - at->end < least; ++behind) at->reach(*behind);
    if (behind == at + 1) return false;
    m_several.erase(at + 1, behind);
    if (m_several.size() == 1) only(Taken(m_several.front()));
    return false;
  }

  Taken m_one; // the range, if there is only one
  std::vector<Taken> m_several;
};

class PlacedByTime {
public:
  // Begins a tile whose addresses are multiples of `alignment` and whose storage has at least `least` bytes. The object is reused
  // for the next tile to keep its memory.
  void begin(const Lifetimes& lifetimes, int64_t alignment, int64_t least) {
    m_lifetimes = &lifetimes;
    m_alignment = alignment, m_least = least;
    m_placements.clear();
    m_filled.assign(lifetimes.nodes(), 0);
    for (const Kind kind : {Kind::Own, Kind::Waiting}) {
      if (kind == Kind::Waiting && !lifetimes.anyWaits()) continue;
      if (m_ever[kind].size() < lifetimes.nodes()) m_ever[kind].resize(lifetimes.nodes());
      if (m_always[kind].size() < lifetimes.nodes() - lifetimes.leaves())
        m_always[kind].resize(lifetimes.nodes() - lifetimes.leaves());
    }
  }

  const std::vector<Placement>& placements() const { return m_placements; }

  void add(const Placement& p) {
    m_placements.push_back(p);
    const Taken t = takenBy(p);
    addWhile<Kind::Own>(p.storage, t);
    if (m_lifetimes->anyWaits()) addWhile<Kind::Waiting>(p.storage, t);
  }

  // Begins a search for an address of this storage, valid until the next add() or search.
  void search(uint32_t storage) {
    m_lists.clear();
    if (!m_lifetimes->anyWaits()) return collect<false>(storage, Kind::Own);
    collect<true>(storage, Kind::Own);
    collect<false>(storage, Kind::Waiting); // two storages that only wait do not conflict
  }

  // Calls `isInTheWay`, which increases `address`, for each range that overlaps `bytes` at `address` during the searched
  // lifetime.
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
  using Kind = Lifetimes::Kind;
  using Visit = Lifetimes::Visit;
  // Bits of m_filled, shifted by the kind.
  static constexpr int kAlways = 1, kEver = 4;
  struct List {
    const Taken *at, *end;
    // Skips to the first range that ends after `address`.
    void skipTo(int64_t address) {
      if (at == end || at->end > address) return;
      if (++at == end || at->end > address) return;
      std::ptrdiff_t stride = 1;
      for (; stride <= end - at && at[stride - 1].end <= address; stride *= 2) at += stride;
      at = std::partition_point(at, std::min(end, at + stride), [&](const Taken& t) { return t.end <= address; });
    }
  };

  template<Kind kKind> void addWhile(uint32_t storage, const Taken& t) {
    const uint32_t leaves = m_lifetimes->leaves();
    TakenRanges *const ever = m_ever[kKind].data(), *const always = m_always[kKind].data();
    int taken = 0; // consecutive nodes in which the addresses were already taken
    for (const Visit visit : m_lifetimes->visits(storage, kKind)) {
      // A life has at most two nodes per level that it covers only in part. If the addresses were already taken in two
      // consecutive nodes, they are taken in all nodes above. On a level with only one such node, one lower node is enough.
      if (visit.isAbove() && taken >= (visit.isAlone() ? 1 : 2)) continue;
      const uint32_t node = visit.node();
      const uint8_t filled = m_filled[node];
      const bool isAlways = visit.isWhole() && node >= leaves;
      m_filled[node] = filled | (kEver << kKind) | (isAlways ? kAlways << kKind : 0);
      taken = ever[node].add(t, m_least, filled & kEver << kKind) && visit.isAbove() ? taken + 1 : 0;
      if (isAlways) always[node - leaves].add(t, m_least, filled & kAlways << kKind);
    }
  }

  // Collects the ranges that live storage, and with kWithWaiting also waiting storage, takes during this storage's life or
  // waiting time.
  template<bool kWithWaiting> void collect(uint32_t storage, Kind kind) {
    const uint32_t leaves = m_lifetimes->leaves();
    for (const Visit visit : m_lifetimes->visits(storage, kind)) {
      const uint32_t node = visit.node();
      const int filled = m_filled[node];
      const auto list = [&](Kind other) {
        if (!(filled & (visit.isWhole() ? kEver : kAlways) << other)) return;
        const auto ranges = visit.isWhole() ? m_ever[other][node].ranges() : m_always[other][node - leaves].ranges();
        m_lists.push_back({ranges.data(), ranges.data() + ranges.size()});
      };
      list(Kind::Own);
      if constexpr (kWithWaiting) list(Kind::Waiting);
    }
  }

  Taken takenBy(const Placement& p) const {
    const int64_t end = p.address + p.size, next = roundUpTo(end, m_alignment);
    return {p.address, next, p.storage, uint32_t(next - end)};
  }

  const Lifetimes* m_lifetimes = nullptr;
  int64_t m_alignment = 1, m_least = 1;
  // By kind and node. `m_ever` has a range in the topmost nodes within its life and in all nodes above them, `m_always` only in
  // the topmost ones. `m_always` has no leaves: it is read only for nodes that a life covers in part, and a life covers a leaf as
  // a whole.
  std::array<std::vector<TakenRanges>, 2> m_ever, m_always;
  std::vector<uint8_t> m_filled; // by node: which of its lists are not empty
  std::vector<Placement> m_placements;
  std::vector<List> m_lists; // of the search
};

} // namespace simcore::compile

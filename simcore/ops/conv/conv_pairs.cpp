#include "simcore/ops/conv/conv_pairs.h"

#include <algorithm>
#include <unordered_map>

namespace simcore::ops {

ConvCellPlace placeOf(const ConvPlan& plan, bool product, int64_t cell) {
  if (product) { // groups, rows, columns, input channels, batch, output channels
    const int64_t behind = plan.batchSplit * plan.outSplit, outer = cell / behind;
    return {outer / plan.inSplit * behind + cell % behind, outer % plan.inSplit};
  }
  // Batch, groups, output channels, rows, columns, input channels, kernel.
  return {cell / plan.partialSums(), cell % plan.partialSums()};
}

namespace {

// Senders of one group as stretches at one distance; the last of them grows.
struct Stretch {
  int64_t first = 0, count = 0, stride = 1;
  bool grows(int64_t tile) const { return count < 2 ? tile > first : tile == first + count * stride; }
};
struct Group {
  std::vector<Stretch> stretches;
  int64_t size = 0, first = -1, second = -1; // tiles
  void add(int64_t tile) {
    ++size;
    if (first < 0)
      first = tile;
    else if (second < 0)
      second = tile;
    if (stretches.empty() || !stretches.back().grows(tile)) {
      stretches.push_back({tile, 1, 1});
      return;
    }
    Stretch& last = stretches.back();
    if (last.count++ == 1) last.stride = tile - last.first;
  }
};

// Stretches after which no more are looked at.
constexpr std::size_t kMostGroupStretches = std::size_t(1) << 16;

} // namespace

graph::Pairs pairsWithinGroups(std::vector<GroupMember> members) {
  const auto byTile = [](const GroupMember& a, const GroupMember& b) { return a.tile < b.tile; };
  if (!std::is_sorted(members.begin(), members.end(), byTile)) std::sort(members.begin(), members.end(), byTile);
  std::unordered_map<int64_t, Group> groups;
  groups.reserve(members.size());
  for (const GroupMember& m : members) groups[m.group].add(m.tile);
  reports::PairWriter pairs(graph::kKeptPairRuns);
  std::size_t looked = 0;
  const GroupMember* before = nullptr;
  for (const GroupMember& m : members) {
    const Group& group = groups[m.group];
    if (group.size != m.groupSize || pairs.full() || (looked += group.stretches.size()) > kMostGroupStretches) return {};
    const bool isFirst = m.tile == group.first;
    if (before && before->group == m.group && before->bytes == m.bytes && before->filling == m.filling && m.filling == 0 &&
        pairs.same(m.tile))
      continue;
    pairs.receiver(m.tile);
    for (const Stretch& s : group.stretches) pairs.take(s.first, m.bytes, s.count, s.stride);
    if (m.filling > 0) pairs.take(isFirst ? group.second : group.first, m.filling);
    before = &m;
  }
  return pairs.finish();
}

} // namespace simcore::ops

#include "simcore/ops/conv/conv_pairs.h"

#include "simcore/graph/row_boxes.h"

#include <algorithm>
#include <unordered_map>

namespace simcore::ops {

ConvCellPlace placeOf(const ConvPlan& plan, bool product, int64_t cell) {
  if (product) { // groups, rows, columns, input channels, batch, output channels
    const int64_t behind = plan.batchSplit * plan.outSplit, outer = cell / behind;
    return {outer / plan.inSplit * behind + cell % behind, outer % plan.inSplit};
  }
  // The cell number counts in the order batch, groups, output channels, rows, columns, input channels, kernel.
  return {cell / plan.partialSums(), cell % plan.partialSums()};
}

namespace {

// A run of a group's senders at equal distances; grows() tells whether a tile continues it.
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

// Limit of stretches that are processed.
constexpr std::size_t kMostGroupStretches = std::size_t(1) << 18;

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

bool ConvWeightHolders::takeFromSharers(graph::PlannedPairs& pairs, int64_t cell, int64_t holders, bool onlyOfSource) const {
  // Distance in cells between neighbouring parts of the batch, of the rows and of the columns.
  std::array<int64_t, 3> apart{};
  const std::array<int64_t, 3> parts{m_plan.batchSplit, m_plan.fieldSplit[0], m_plan.fieldSplit[1]};
  if (m_product) { // groups, rows, columns, input channels, batch, output channels
    apart[0] = m_plan.outSplit;
    apart[2] = m_plan.inSplit * m_plan.batchSplit * m_plan.outSplit;
    apart[1] = parts[2] * apart[2];
  } else { // batch, groups, output channels, rows, columns, input channels, kernel
    apart[2] = m_plan.partialSums();
    apart[1] = parts[2] * apart[2];
    apart[0] = m_plan.groupSplit * m_plan.outSplit * parts[1] * apart[1];
  }
  int64_t first = cell;
  for (std::size_t d = 0; d < 3; ++d) first -= cell / apart[d] % parts[d] * apart[d];
  bool any = false;
  for (int64_t n = 0; n < m_busy[0]; ++n)
    for (int64_t h = 0; h < m_busy[1] && holders > 0; ++h) {
      const int64_t from = first + n * apart[0] + h * apart[1];
      int64_t count = std::min(m_busy[2], holders);
      if (onlyOfSource) count = std::min(count, reports::ceilDiv(std::max<int64_t>(0, m_source.cells() - from), apart[2]));
      if (count <= 0) continue;
      pairs.takeFrom(m_tiles.begin + from, 1, count, apart[2]);
      holders -= count;
      any = true;
    }
  return any;
}

ConvInputOrder::ConvInputOrder(const ConvParams& params, const ConvOptions::InputPlace& place, const graph::Shape& tensor,
                               const graph::Distribution& source)
    : m_params(params), m_place(place), m_shape(tensor) {
  if (place.boxOf) {
    m_isKnown = source.shape().size() == 1 || source.shape() == place.shape;
    return;
  }
  const int64_t elements = params.batch * params.groups * params.inChannels * params.in[0] * params.in[1];
  if (numerics::elementCount(tensor) != elements) return; // elements are used several times, or only some of them
  const graph::Shape grid{params.batch, params.groups * params.inChannels, params.in[0], params.in[1]};
  if (source.grid() && source.grid()->shape() == grid &&
      source.gridMatrices() == (params.product && params.in[0] > 1 && params.inChannels > 1 ? params.groups : 0)) {
    m_isKnown = m_wasGrid = true; // another product chose this layout
  } else {
    m_isKnown = true;
    // Rows of all matrices are the leading dimensions.
    m_isGrid = params.product && (source.viewed() || source.shape() == tensor) && tensor.size() >= 2 &&
               tensor.back() == params.inChannels;
  }
}

void ConvInputOrder::takeProduct(graph::PlannedPairs& pairs, const graph::Box& box) const {
  const int64_t channels = m_params.inChannels, rows = m_params.in[0];
  const auto &wanted = box.dims[1], &of = box.dims[2];
  for (int64_t g = wanted.begin / channels; g * channels < wanted.end && !pairs.failed(); ++g) {
    const int64_t begin = std::max<int64_t>(0, wanted.begin - g * channels), end = std::min(channels, wanted.end - g * channels);
    if (m_isGrid) {
      graph::forEachRowBox({g * rows + of.begin, g * rows + of.end}, Shape(m_shape.begin(), m_shape.end() - 1),
                           [&](graph::Box here) {
                             here.dims.push_back({begin, end});
                             pairs.take(m_shape, here);
                           });
      continue;
    }
    if (end - begin == channels) {
      pairs.take(reports::Range<int64_t>{(g * rows + of.begin) * channels, (g * rows + of.end) * channels});
      continue;
    }
    for (int64_t row = of.begin; row < of.end && !pairs.failed(); ++row)
      pairs.take(reports::Range<int64_t>{(g * rows + row) * channels + begin, (g * rows + row) * channels + end});
  }
}

void ConvInputOrder::take(graph::PlannedPairs& pairs, const graph::Box& box) const {
  if (m_place.boxOf) return pairs.take(m_place.shape, m_place.boxOf(box));
  if (m_wasGrid) return pairs.takeOfGrid(box);
  if (m_params.product) return takeProduct(pairs, box);
  pairs.take(graph::Shape{m_params.batch, m_params.groups * m_params.inChannels, m_params.in[0], m_params.in[1]}, box);
}

} // namespace simcore::ops

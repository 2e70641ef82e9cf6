#include "simcore/ops/conv/conv_grid.h"

#include "simcore/graph/pair_memory.h"
#include "simcore/ops/conv/conv_pairs.h"

#include <algorithm>
#include <utility>

namespace simcore::ops {

using graph::Distribution;
using reports::ceilDiv;
using reports::roundUp;

namespace {

std::pair<int64_t, int64_t> rangeOfPart(int64_t extent, int64_t grain, int64_t split, int64_t i) {
  const int64_t part = roundUp(ceilDiv(extent, split), grain);
  return {std::min(extent, i * part), std::min(extent, (i + 1) * part)};
}

ConvForm formOf(const OpBuilder& b, const ConvParams& slice, const ConvPlan& plan) {
  ConvForm form;
  for (const ConvForm& f : formsOf(b.tile(), slice))
    if (f.method == plan.method && f.combineGroups == plan.combineGroups && f.swapped == plan.swapped &&
        (plan.inGrain == 0 || f.inGrain == plan.inGrain))
      form = f;
  return form;
}

} // namespace

ConvGrid::ConvGrid(const OpBuilder& b, const ConvParams& params, const ConvPlan& p)
    : whole(params), slice(slicedParams(params, p)), plan(p), form(formOf(b, slice, p)), m_b(b) {
  split();
}

PerTile ConvGrid::evenly(int64_t elements, int64_t size) const {
  std::vector<int64_t> byTile(static_cast<std::size_t>(m_b.tiles()), 0);
  for (std::size_t c = 0; c < m_cells.size(); ++c)
    byTile[std::size_t(tileOf(c) - m_b.tileRange().begin)] = roundUp(elements * size, 4);
  return m_b.perTile(byTile);
}

void ConvGrid::split() {
  if (slice.product) {
    for (int64_t g = 0; g < plan.groupSplit; ++g)
      for (int64_t h = 0; h < plan.fieldSplit[0]; ++h)
        for (int64_t w = 0; w < plan.fieldSplit[1]; ++w)
          for (int64_t i = 0; i < plan.inSplit; ++i)
            for (int64_t n = 0; n < plan.batchSplit; ++n)
              for (int64_t o = 0; o < plan.outSplit; ++o) addCell(n, g, o, h, w, i, 0);
    return;
  }
  for (int64_t n = 0; n < plan.batchSplit; ++n)
    for (int64_t g = 0; g < plan.groupSplit; ++g)
      for (int64_t o = 0; o < plan.outSplit; ++o)
        for (int64_t h = 0; h < plan.fieldSplit[0]; ++h)
          for (int64_t w = 0; w < plan.fieldSplit[1]; ++w)
            for (int64_t i = 0; i < plan.inSplit; ++i)
              for (int64_t k = 0; k < plan.kernelSplit[0] * plan.kernelSplit[1]; ++k) addCell(n, g, o, h, w, i, k);
}

void ConvGrid::addCell(int64_t n, int64_t g, int64_t o, int64_t h, int64_t w, int64_t i, int64_t k) {
  const auto batch = rangeOfPart(slice.batch, 1, plan.batchSplit, n),
             groups = rangeOfPart(form.groups, form.groupGrain, plan.groupSplit, g),
             outs = rangeOfPart(form.outChannels, form.outGrain, plan.outSplit, o),
             ins = rangeOfPart(form.inChannels, form.inGrain, plan.inSplit, i);
  const std::pair<int64_t, int64_t> field[2] = {rangeOfPart(slice.out(0), form.rowGrain, plan.fieldSplit[0], h),
                                                rangeOfPart(slice.out(1), 1, plan.fieldSplit[1], w)},
                                    kernel[2] = {rangeOfPart(slice.kernel[0], 1, plan.kernelSplit[0], k / plan.kernelSplit[1]),
                                                 rangeOfPart(slice.kernel[1], 1, plan.kernelSplit[1], k % plan.kernelSplit[1])};
  Cell c;
  c.part = {batch.second - batch.first,       groups.second - groups.first, field[0].second - field[0].first,
            field[1].second - field[1].first, outs.second - outs.first,     ins.second - ins.first};
  if (form.taps > 1) c.part.kernel = {kernel[0].second - kernel[0].first, kernel[1].second - kernel[1].first};
  auto span = [](const std::pair<int64_t, int64_t>& r) { return ConvCell::Span{r.first, r.second}; };
  c.spans = {
      span(batch), span(groups), span(field[0]), span(field[1]), span(outs), span(ins), {span(kernel[0]), span(kernel[1])}};
  // Input channels: joined groups are neighbours; expanded channels are taps of the same original channel.
  const int64_t perGroup = form.inChannels / form.expansion; // original channels of one (joined) group
  const int64_t firstIn = ins.first / form.expansion, lastIn = ceilDiv(ins.second, form.expansion);
  c.input.dims = {
      {batch.first, batch.second}, {groups.first * perGroup + firstIn, (groups.second - 1) * perGroup + lastIn}, {}, {}};
  for (std::size_t d = 0; d < 2; ++d) {
    const int64_t begin = field[d].first * slice.stride[d] - slice.padLow[d] + slice.dilation[d] * kernel[d].first;
    const int64_t end =
        (field[d].second - 1) * slice.stride[d] - slice.padLow[d] + slice.dilation[d] * (kernel[d].second - 1) + 1;
    c.input.dims[2 + d] = {std::clamp<int64_t>(begin, 0, slice.in[d]), std::clamp<int64_t>(end, 0, slice.in[d])};
  }
  if (c.part.batch * c.part.groups * c.part.rows * c.part.columns * c.part.outChannels * c.part.inChannels * c.part.kernel[0] *
          c.part.kernel[1] ==
      0) {
    c.part = {0, 0, 0, 0, 0, 0, {0, 0}};
    c.input.dims = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
  }
  m_cells.push_back(std::move(c));
}

PerTile ConvGrid::bytes(int64_t PartBytes::*which) const {
  std::vector<int64_t> byTile(static_cast<std::size_t>(m_b.tiles()), 0);
  // Most cells have the same part as the previous one.
  const ConvPart* last = nullptr;
  int64_t bytes = 0;
  for (std::size_t c = 0; c < m_cells.size(); ++c) {
    const ConvPart& part = m_cells[c].part;
    if (part.isIdle()) continue;
    if (!last || part != *last) bytes = roundUp(bytesOf(slice, form, part).*which, 4);
    last = &part;
    byTile[std::size_t(tileOf(c) - m_b.tileRange().begin)] = bytes;
  }
  return m_b.perTile(byTile);
}

Distribution ConvGrid::outputLayout(const Shape& shape) const {
  const int64_t channelSplit = plan.groupSplit * plan.outSplit, channels = whole.groups * whole.outChannels;
  const std::array<int64_t, 4> extents{whole.batch, channels, whole.out(0), whole.out(1)};
  std::vector<int64_t> splits{plan.batchSplit, channelSplit, plan.fieldSplit[0], plan.fieldSplit[1]};
  spreadShares(extents, splits);
  // Channels stay in the whole groups of the cells that compute them, unless a reduction or a serial loop cuts them further.
  const bool areWhole = whole.groups == 1 && plan.serial() == 1 && splits[1] == channelSplit,
             wholeRows = splits[2] == plan.fieldSplit[0];
  const Distribution grid({whole.batch, channels, whole.out(0), whole.out(1)}, splits,
                          {1, areWhole ? form.outGrain : 1, wholeRows ? form.rowGrain : 1, 1}, 0, m_b.tileRange());
  if (shape == grid.shape()) return grid;
  return grid.flattened(whole.product ? whole.groups : 0);
}

// After a reduction every tile has a share of the outputs: cuts the outputs further, along columns, channels and rows, into as
// many parts as possible without more tiles.
void ConvGrid::spreadShares(const std::array<int64_t, 4>& extents, std::vector<int64_t>& splits) const {
  const auto parts = [&](std::size_t d, int64_t cut) { return ceilDiv(extents[d], ceilDiv(extents[d], splits[d] * cut)); };
  std::array<int64_t, 3> best{1, 1, 1}; // columns, channels, rows
  int64_t most = 0;
  for (int64_t rows = 1; rows <= std::min(ways(), extents[2]); ++rows)
    for (int64_t channels = 1; rows * channels <= ways() && channels <= extents[1]; ++channels) {
      const int64_t columns = std::min(extents[3], ways() / (rows * channels));
      const int64_t made = parts(3, columns) * parts(1, channels) * parts(2, rows);
      if (made > most) {
        most = made;
        best = {columns, channels, rows};
      }
    }
  splits[3] *= best[0];
  splits[1] *= best[1];
  splits[2] *= best[2];
}

Distribution ConvGrid::weightLayout(int64_t elements, int64_t size) const {
  return Distribution({elements}, {plan.tiles()}, {ceilDiv(kLeastConvShare, size)}, 0, m_b.tileRange());
}

uint64_t ConvGrid::planKey() const { return graph::PairKey(0).add(key()).hash() | 1; }
std::vector<int64_t> ConvGrid::key() const { return cellKey(whole, slice, plan, form); }

} // namespace simcore::ops

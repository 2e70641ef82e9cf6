#include "simcore/ops/conv/conv_pairs.h"

#include <algorithm>

namespace simcore::ops {

using graph::Box;
using graph::Distribution;
using reports::ceilDiv;

std::vector<int64_t> cellKey(const ConvParams& w, const ConvParams& p, const ConvPlan& plan, const ConvForm& form) {
  return {1,
          w.batch,
          w.groups,
          w.inChannels,
          w.outChannels,
          w.in[0],
          w.in[1],
          p.batch,
          p.groups,
          p.inChannels,
          p.outChannels,
          p.in[0],
          p.in[1],
          p.kernel[0],
          p.kernel[1],
          p.stride[0],
          p.stride[1],
          p.dilation[0],
          p.dilation[1],
          p.padLow[0],
          p.padLow[1],
          p.padHigh[0],
          p.padHigh[1],
          p.product,
          elementBytes(p.type),
          int64_t(plan.method),
          plan.combineGroups,
          plan.swapped,
          plan.batchSplit,
          plan.groupSplit,
          plan.outSplit,
          plan.inSplit,
          plan.fieldSplit[0],
          plan.fieldSplit[1],
          plan.kernelSplit[0],
          plan.kernelSplit[1],
          form.inGrain,
          form.outGrain,
          form.groupGrain,
          form.rowGrain};
}

reports::Range<int64_t> ConvWeightPairs::rangeOf(const ConvCell& c, int64_t elements) const {
  const double outs = double(form.outChannels), ins = double(form.inChannels), taps = double(form.taps),
               all = double(form.groups) * outs * ins * taps;
  const bool inTaps = form.taps > 1;
  const double kernel = inTaps ? double(c.kernel[0].size() * c.kernel[1].size()) : 1,
               tap = inTaps ? double(c.kernel[0].begin * params.kernel[1] + c.kernel[1].begin * c.kernel[0].size()) : 0,
               groups = double(c.groups.size()), block = groups * double(c.outs.size());
  const double begin = double(c.groups.begin) * outs * ins * taps + groups * double(c.outs.begin) * ins * taps +
                       block * double(c.ins.begin) * taps + block * double(c.ins.size()) * tap,
               size = block * double(c.ins.size()) * kernel, scale = double(elements) / all;
  const auto first = std::min(elements - 1, int64_t(begin * scale + 0.5));
  return {first, std::clamp(int64_t((begin + size) * scale + 0.5), first + 1, elements)};
}

// Takes boxes of [groups, input channels, output channels] of a product, or [groups x output channels, input channels, kernel].
void ConvWeightPairs::takeBoxes(graph::PlannedPairs& pairs, const ConvCell& cell) const {
  const auto clipped = [](const ConvCell::Span& span, int64_t end) {
    return reports::Range<int64_t>{std::min(span.begin, end), std::min(span.end, end)};
  };
  const auto ins = clipped(cell.ins, params.inChannels), outs = clipped(cell.outs, params.outChannels);
  for (int64_t g = cell.groups.begin; g < std::min(cell.groups.end, params.groups) && !pairs.failed(); ++g) {
    if (place) {
      pairs.take(place->shape, place->boxOf(Box{{{g, g + 1}, ins, outs}}));
      continue;
    }
    if (params.product) {
      pairs.take(graph::Shape{params.groups, params.inChannels, params.outChannels}, Box{{{g, g + 1}, ins, outs}});
      continue;
    }
    Box box{{{g * params.outChannels + outs.begin, g * params.outChannels + outs.end}, ins, {}, {}}};
    for (std::size_t d = 0; d < 2; ++d)
      box.dims[2 + d] = form.taps > 1 ? clipped(cell.kernel[d], params.kernel[d]) : reports::Range<int64_t>{0, params.kernel[d]};
    pairs.take(graph::Shape{params.groups * params.outChannels, params.inChannels, params.kernel[0], params.kernel[1]}, box);
  }
}

graph::SharedPairs ConvWeightPairs::to(const Tensor& weights, const PerTile& slices, const PerTile& bytesIn) const {
  const auto id = weights.wholeVariable();
  const Distribution given = isMade ? laid : b.layoutOf(weights);
  if (!isMade && !id.valid() && !given.viewed()) return {}; // for views of several variables, only volumes are known
  const graph::Variable* held = isMade || !id.valid() ? nullptr : &std::as_const(b.graph()).variable(id);
  const bool isLaid = held && held->distribution.laidFor() == planKey && held->distribution.sameAs(laid),
             byBoxes = !isMade && !isLaid;
  if (held && (!held->extraBytes.empty() || !held->distribution.valid())) return {};
  // Serial slices take different elements each; transformed channels are not those of the tensor.
  if (byBoxes && !hasBoxes(weights)) return {};
  const Distribution source = byBoxes ? given : laid;
  const auto busy = [](int64_t extent, int64_t split) { return ceilDiv(extent, ceilDiv(extent, split)); };
  const std::array<int64_t, 3> parts{busy(params.batch, plan.batchSplit), busy(params.out(0), plan.fieldSplit[0]),
                                     busy(params.out(1), plan.fieldSplit[1])};
  const ConvWeightHolders holding(plan, params.product, parts, b.tileRange(), source);
  const int64_t sharing = plan.batchSplit * plan.fieldSplit[0] * plan.fieldSplit[1];
  const auto make = [&] {
    graph::PlannedPairs pairs(source, bytesIn);
    for (std::size_t c = 0; c < cells.size() && !pairs.failed(); ++c) {
      if (!cells[c].spans) continue;
      const ConvCell &spans = *cells[c].spans, *before = c > 0 ? cells[c - 1].spans : nullptr;
      const int64_t tile = cells[c].tile, holders = convWeightHolders(slices.at(tile), sharing);
      const bool byTiles = isMade || (isLaid && holders == sharing);
      const bool alike = before && !byTiles && spans.outs == before->outs && spans.groups == before->groups &&
                         spans.ins == before->ins && spans.kernel == before->kernel;
      if (alike && pairs.same(tile)) continue;
      pairs.receiver(tile);
      if (byBoxes)
        takeBoxes(pairs, spans);
      else if (!byTiles || !holding.takeFromSharers(pairs, int64_t(c), holders, isLaid))
        pairs.take(rangeOf(spans, weights.numElements()));
    }
    return pairs.finish();
  };
  graph::PairKey pairKey(b.tileRange().begin);
  return graph::remembered(
      pairKey.add(source).add(bytesIn).add(isMade).add(isLaid).add(key).add(place ? place->key : std::vector<int64_t>()), make);
}

graph::SharedPairs ConvWeightPairs::fromShares(const Tensor& weights, const PerTile& bytesIn) const {
  if (!hasBoxes(weights)) return {};
  const Distribution shares(graph::Shape{weights.numElements()}, {int64_t(cells.size())}, {1},
                            cells.front().tile - b.tileRange().begin, b.tileRange());
  const auto make = [&] {
    graph::PlannedPairs pairs(shares, bytesIn);
    const ConvCell* before = nullptr;
    for (const Cell& cell : cells) {
      if (pairs.failed()) break;
      const bool alike = before && cell.spans && cell.spans->outs == before->outs && cell.spans->groups == before->groups &&
                         cell.spans->ins == before->ins && cell.spans->kernel == before->kernel;
      if (alike && pairs.same(cell.tile)) continue;
      pairs.receiver(cell.tile);
      if (cell.spans) takeBoxes(pairs, *cell.spans);
      before = cell.spans;
    }
    return pairs.finish();
  };
  graph::PairKey pairKey(b.tileRange().begin);
  return graph::remembered(pairKey.add(10).add(shares).add(bytesIn).add(key).add(place ? place->key : std::vector<int64_t>()),
                           make);
}

} // namespace simcore::ops

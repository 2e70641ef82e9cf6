#include "simcore/ops/conv/conv_traffic.h"

#include "simcore/graph/sender_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace simcore::ops {

using graph::Box;
using graph::Distribution;
using reports::ceilDiv;
using reports::roundUp;

Traffic ConvTraffic::input(const Tensor& x, bool isAnew) const {
  Traffic t = inputOf(x, !isAnew && isInputInOrder());
  if (!isAnew || t.bytesIn.empty() || !m_b.graph().keepsPairs()) return t;
  const Distribution held = inputAnew().shares(m_grid.count(), 0, m_b.tileRange());
  graph::PairKey key(m_b.tileRange().begin);
  t.pairs = graph::remembered(key.add(6).add(held).add(t.bytesIn).add(m_grid.key()), [&] {
    graph::PlannedPairs pairs(held, t.bytesIn);
    takeInputs(pairs, inputAnew());
    return pairs.finish();
  });
  if (!graph::sendersAgree(t.pairs, t.bytesOut)) t.pairs.clear();
  return t;
}

AnewOrder ConvTraffic::inputAnew() const {
  const ConvParams& p = m_grid.slice;
  return {p.batch, p.groups, p.inChannels, p.in, m_grid.form.inGrain};
}

graph::SharedPairs ConvTraffic::operandPairs(const Tensor& input, const Tensor& weights, const RearrangeCosts& anew,
                                             const PerTile& bytesIn) const {
  const AnewOrder to = inputAnew();
  const int64_t ofInput = anew.input ? to.elements() : 0,
                ofWeights = anew.weights ? m_grid.slice.groups * m_grid.slice.inChannels * m_grid.slice.outChannels *
                                               m_grid.slice.kernel[0] * m_grid.slice.kernel[1]
                                         : 0;
  PerTile inputIn, weightsIn;
  for (const auto& r : bytesIn.runs()) {
    const int64_t share =
        int64_t(double(r.value / 4) * double(ofInput) / double(std::max<int64_t>(1, ofInput + ofWeights)) + 0.5) * 4;
    inputIn.add(r.tiles, share);
    weightsIn.add(r.tiles, r.value - share);
  }
  graph::SharedPairs pairs;
  if (inputIn.sum() > 0) {
    pairs = inputPairs(input, to, inputIn);
    if (pairs.empty()) return {};
  }
  if (weightsIn.sum() == 0) return pairs;
  const graph::SharedPairs more = weightPairs(weights, m_grid.bytes(&PartBytes::weights), weightsIn, false);
  if (more.empty() || pairs.size() + more.size() > graph::kKeptPairRuns) return {};
  pairs.add(more);
  return pairs;
}
graph::SharedPairs ConvTraffic::inputPairs(const Tensor& input, const AnewOrder& to, const PerTile& bytesIn) const {
  const Distribution source = m_b.layoutOf(input), shares = to.shares(m_grid.count(), 0, m_b.tileRange());
  const ConvInputOrder order(m_grid.whole, m_options.inputPlace, input.shape(), source);
  if (!isInputInOrder() || (m_options.arrangeInput && !m_options.inputPlace.boxOf) || !order.isKnown()) return {};
  // The last tiles may have no share although the plan counts bytes for them. This is accepted for at most 1 % of the tiles.
  if ((m_grid.count() - shares.cells()) * 100 > m_grid.count()) return {};
  const auto make = [&] {
    graph::PlannedPairs pairs(source, bytesIn);
    for (int64_t c = 0; c < m_grid.count() && !pairs.failed(); ++c) {
      pairs.receiver(m_grid.tileOf(std::size_t(c)));
      to.forEachBox(shares.cell(std::min(c, shares.cells() - 1)).dims[0], [&](const Box& box) { order.take(pairs, box); });
    }
    return pairs.finish();
  };
  graph::PairKey key(m_b.tileRange().begin);
  return graph::remembered(key.add(7).add(source).add(bytesIn).add(m_grid.key()).add(m_options.inputPlace.key), make);
}

graph::SharedPairs ConvTraffic::resultPairs(const Distribution& result, const PerTile& bytesIn) const {
  const AnewOrder made(m_grid.whole.batch, m_grid.whole.groups, m_grid.whole.outChannels,
                       {m_grid.whole.out(0), m_grid.whole.out(1)}, m_grid.form.outGrain);
  const Distribution source = made.shares(m_grid.count(), 0, m_b.tileRange());
  const Distribution& cells = result.grid() ? *result.grid() : result;
  const auto make = [&] {
    graph::PlannedPairs pairs(source, bytesIn);
    for (int64_t c = 0; c < cells.cells() && !pairs.failed(); ++c) {
      pairs.receiver(cells.tileOf(c));
      made.take(pairs, cells.cell(c));
    }
    return pairs.finish();
  };
  graph::PairKey key(m_b.tileRange().begin);
  return graph::remembered(key.add(8).add(source).add(cells).add(bytesIn).add(m_grid.key()), make);
}

Traffic ConvTraffic::inputOf(const Tensor& x, bool withPairs) const {
  const Distribution source = m_b.layoutOf(x);
  const Shape grid{m_grid.whole.batch, m_grid.whole.groups * m_grid.whole.inChannels, m_grid.whole.in[0], m_grid.whole.in[1]};
  if (source.shape() == grid) {
    std::vector<Box> boxes;
    for (const ConvGrid::Cell& c : m_grid.cells()) boxes.push_back(c.input);
    Traffic t = m_b.trafficTo(source, boxes, 0, elementBytes(m_grid.slice.type));
    if (!withPairs || m_options.arrangeInput) t.pairs.clear(), t.linkPairs.clear();
    return t;
  }
  std::vector<int64_t> elements(static_cast<std::size_t>(m_b.tiles()), 0);
  for (std::size_t c = 0; c < m_grid.cells().size(); ++c)
    elements[std::size_t(m_grid.tileOf(c) - m_b.tileRange().begin)] = m_grid.cells()[c].input.volume();
  const ConvInputOrder order(m_grid.whole, m_options.inputPlace, x.shape(), source);
  graph::Takers takers;
  if (m_b.graph().keepsPairs()) {
    std::vector<Box> boxes;
    for (const ConvGrid::Cell& c : m_grid.cells()) boxes.push_back(c.input);
    takers.wanted = graph::noteOf(grid, boxes);
  }
  const bool isPlaced = m_options.inputPlace.boxOf || !m_options.arrangeInput;
  if (withPairs && isPlaced && order.isKnown()) {
    takers.key = m_grid.key();
    takers.key.insert(takers.key.end(), m_options.inputPlace.key.begin(), m_options.inputPlace.key.end());
    takers.take = [&](graph::PlannedPairs& pairs) { takeInputs(pairs, order); };
  }
  Traffic t = m_b.trafficBlind(source, m_b.perTile(elements), elementBytes(m_grid.slice.type), takers);
  if (!withPairs) t.pairs.clear(), t.linkPairs.clear();
  t.sharedIn = sharedOnBus(
      [&](const ConvGrid::Cell& a, const ConvGrid::Cell& b) {
        return double(a.input.intersection(b.input).volume()) / double(std::max<int64_t>(1, a.input.volume()));
      },
      t.bytesIn);
  return t;
}

template<class Order> void ConvTraffic::takeInputs(graph::PlannedPairs& pairs, const Order& order) const {
  const ConvGrid::Cell* before = nullptr;
  for (std::size_t c = 0; c < m_grid.cells().size() && !pairs.failed(); ++c) {
    const ConvGrid::Cell& cell = m_grid.cells()[c];
    if (cell.part.isIdle() || !pairs.wants(m_grid.tileOf(c))) continue;
    if (before && before->input.dims == cell.input.dims && pairs.same(m_grid.tileOf(c))) continue;
    pairs.receiver(m_grid.tileOf(c));
    order.take(pairs, cell.input);
    before = &cell;
  }
}

// Bytes received by each tile that its neighbour on the exchange bus also receives.
template<class F> PerTile ConvTraffic::sharedOnBus(F shareOf, const PerTile& received) const {
  std::vector<int64_t> shared(static_cast<std::size_t>(m_b.tiles()), 0);
  const std::vector<int64_t> in = received.dense(m_b.graph().machine().tiles());
  for (std::size_t c = 0; c + 1 < m_grid.cells().size(); ++c) {
    const ConvGrid::Cell &a = m_grid.cells()[c], &b = m_grid.cells()[c + 1];
    const int64_t left = m_grid.tileOf(c), right = m_grid.tileOf(c + 1);
    if (a.part.isIdle() || b.part.isIdle() || left % 2 != 0 || graph::busPartner(left) != right) continue;
    const int64_t both = int64_t(double(std::min(in[std::size_t(left)], in[std::size_t(right)])) * shareOf(a, b)) / 8 * 8;
    for (int64_t tile : {left, right}) shared[std::size_t(tile - m_b.tileRange().begin)] = both;
  }
  return m_b.perTile(shared);
}

// Bytes of one iteration's weights on each tile. The weights may be parts of variables (a table whose parts are used by
// successive products). Then each part is on all tiles of its variable, because PopART lays such a variable out for the products
// of its parts (InputMultiCreatorCandidate).
PerTile ConvTraffic::sentOf(const Tensor& weights) const {
  const int64_t needed =
      m_grid.slice.groups * m_grid.slice.inChannels * m_grid.slice.outChannels * m_grid.slice.kernel[0] * m_grid.slice.kernel[1];
  int64_t elements = 0;
  for (const auto id : weights.variables()) elements += std::as_const(m_b.graph()).variable(id).elements();
  const double share = std::min(1.0, double(needed) / double(std::max<int64_t>(1, elements)));
  PerTile sent;
  for (const auto id : weights.variables())
    for (const auto& r : m_b.graph().variable(id).bytesByTile().runs()) sent.add(r.tiles, int64_t(double(r.value) * share));
  return sent;
}

graph::Pairs ConvTraffic::partialPairs(std::size_t index) const {
  if (!m_b.graph().keepsPairs()) return {};
  const int64_t size = elementBytes(m_grid.slice.partials);
  const PerTile partials = m_grid.bytes(&PartBytes::partials);
  std::vector<GroupMember> members;
  for (const auto& r : partials.runs()) {
    const ConvReduceStages stages = reduceStages(r.value / size, m_grid.ways());
    const int64_t fanIn = stages[index].fanIn, take = stages[index].share * size;
    int64_t apart = 1; // distance between the partial sums that earlier stages left
    for (std::size_t s = 0; s < index; ++s) apart *= stages[s].fanIn;
    const int64_t filling = roundUp(take * (fanIn - 1), 4) - take * (fanIn - 1);
    for (int64_t tile = r.tiles.begin; tile < r.tiles.end; ++tile) {
      const ConvCellPlace place = placeOf(m_grid.plan, m_grid.slice.product, m_grid.cellOn(tile));
      const int64_t group = place.partial / (apart * fanIn) * apart + place.partial % apart;
      members.push_back({tile, place.outputs * m_grid.ways() + group, fanIn, take, filling});
    }
  }
  return pairsWithinGroups(std::move(members));
}

graph::SharedPairs ConvTraffic::weightPairs(const Tensor& weights, const PerTile& slices, const PerTile& bytesIn,
                                            bool isAnew) const {
  if (!m_b.graph().keepsPairs()) return {};
  ConvWeightPairs pairs = weightPairsOf(weights);
  pairs.isMade = isAnew || weights.wholeVariable() != m_given;
  return pairs.to(weights, slices, bytesIn);
}
ConvWeightPairs ConvTraffic::weightPairsOf(const Tensor& weights) const {
  ConvWeightPairs pairs{m_b,
                        m_grid.slice,
                        m_grid.form,
                        m_grid.plan,
                        m_grid.weightLayout(weights.numElements(), elementBytes(weights)),
                        m_grid.planKey(),
                        m_grid.key()};
  pairs.isInOrder = !m_options.arrangeWeights;
  if (m_options.weightsPlace.boxOf) pairs.place = &m_options.weightsPlace;
  for (std::size_t c = 0; c < m_grid.cells().size(); ++c)
    pairs.cells.push_back({m_grid.cells()[c].part.isIdle() ? nullptr : &m_grid.cells()[c].spans, m_grid.tileOf(c)});
  return pairs;
}

Traffic ConvTraffic::weights(const Tensor& of, bool isAnew) const {
  // Tiles that share weights hold them in equal shares of at least 128 bytes and fetch the rest from each other.
  const int64_t sharing = m_grid.plan.batchSplit * m_grid.plan.fieldSplit[0] * m_grid.plan.fieldSplit[1];
  Traffic t;
  const PerTile slices = m_grid.bytes(&PartBytes::weights);
  for (const auto& r : slices.runs()) {
    const int64_t holders = convWeightHolders(r.value, sharing);
    t.bytesIn.add(r.tiles, roundUp(r.value - r.value / sharing, 4));
    t.messagesIn.add(r.tiles, std::max<int64_t>(1, holders - (holders == sharing)));
  }
  t.sharedIn = sharedOnBus(
      [](const ConvGrid::Cell& a, const ConvGrid::Cell& b) {
        return double(a.spans.groups.begin == b.spans.groups.begin && a.spans.outs.begin == b.spans.outs.begin &&
                      a.spans.ins.begin == b.spans.ins.begin && a.spans.kernel == b.spans.kernel);
      },
      t.bytesIn);
  for (const auto& r : sentOf(of).runs()) { // multicast: data for many tiles leaves once
    t.bytesOut.add(r.tiles, roundUp(r.value, 4));
    t.messagesOut.add(r.tiles, 1);
  }
  t.pairs = weightPairs(of, slices, t.bytesIn, isAnew);
  note(t, of, isAnew ? graph::LayoutNote{"groups of channels, laid out anew", m_grid.plan.tiles()} : heldNote(of),
       weightsWanted());
  if (!graph::sendersAgree(t.pairs, t.bytesOut)) t.pairs.clear();
  return t;
}

void ConvTraffic::note(Traffic& t, const Tensor& of, graph::LayoutNote held, graph::LayoutNote wanted) const {
  if (m_b.graph().keepsPairs() && t.bytesIn.sum() > 0)
    t.notes.push_back({{}, of.numElements(), t.bytesIn.sum(), std::move(held), std::move(wanted)});
}
graph::LayoutNote ConvTraffic::heldNote(const Tensor& of) const {
  const auto id = of.wholeVariable();
  const PerTile* made = id.valid() ? &std::as_const(m_b.graph()).variable(id).extraBytes : nullptr;
  if (made && !made->empty()) return {"equal shares", made->activeTiles()}; // a buffer of this product has no layout
  return graph::noteOf(m_b.layoutOf(of));
}
graph::LayoutNote ConvTraffic::weightsWanted() const {
  const std::array<std::pair<const char*, int64_t>, 4> cuts{
      {{m_grid.slice.product ? "matrices" : "groups", m_grid.plan.groupSplit},
       {m_grid.slice.product ? "rows" : "input channels", m_grid.plan.inSplit},
       {m_grid.slice.product ? "columns" : "output channels", m_grid.plan.outSplit},
       {"taps of the kernel", m_grid.plan.kernelSplit[0] * m_grid.plan.kernelSplit[1]}}};
  graph::LayoutNote wanted{{}, m_grid.plan.tiles()};
  for (const auto& [name, parts] : cuts)
    if (parts > 1) wanted.cut += (wanted.cut.empty() ? "" : ", ") + std::string(name) + " in " + std::to_string(parts);
  if (wanted.cut.empty()) wanted.cut = "whole";
  return wanted;
}

} // namespace simcore::ops

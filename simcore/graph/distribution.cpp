#include "simcore/graph/distribution.h"

#include "reports/core/units.h"
#include "simcore/graph/box_pairs.h"
#include "simcore/graph/cell_order.h"
#include "simcore/graph/pair_memory.h"
#include "simcore/graph/planned_pairs.h"
#include "simcore/graph/sender_check.h"
#include "simcore/graph/viewed_layout.h"

#include <algorithm>
#include <limits>

namespace simcore::graph {

using reports::ceilDiv;
using reports::roundUp;

int64_t Box::volume() const {
  int64_t v = 1;
  for (const auto& r : dims) v *= std::max<int64_t>(0, r.size());
  return v;
}

Box Box::intersection(const Box& other) const {
  Box b;
  b.dims.reserve(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d) b.dims.push_back(dims[d].clippedTo(other.dims[d]));
  return b;
}

Distribution::Distribution(Shape shape, std::vector<int64_t> splits, std::vector<int64_t> grains, int64_t firstTile,
                           TileRange tiles)
    : m_shape(std::move(shape)), m_base(tiles.begin), m_tileCount(std::max<int64_t>(1, tiles.size())) {
  m_firstTile = firstTile % m_tileCount;
  m_cells = 1;
  for (std::size_t d = 0; d < m_shape.size(); ++d) {
    const int64_t grain = d < grains.size() ? std::max<int64_t>(1, grains[d]) : 1;
    const int64_t asked = d < splits.size() ? std::max<int64_t>(1, splits[d]) : 1;
    const int64_t part = std::max<int64_t>(1, roundUp(ceilDiv(m_shape[d], asked), grain));
    m_parts.push_back(part);
    m_splits.push_back(std::max<int64_t>(1, ceilDiv(m_shape[d], part)));
    m_cells *= m_splits.back();
  }
}

Distribution Distribution::linear(int64_t elements, int64_t elementBytes, int64_t firstTile, TileRange tiles, int64_t grain,
                                  int64_t minBytes) {
  const int64_t minElements = std::max<int64_t>(grain, roundUp(ceilDiv(minBytes, elementBytes), grain));
  const int64_t parts = std::clamp<int64_t>(ceilDiv(elements, minElements), 1, tiles.size());
  return Distribution({elements}, {parts}, {grain}, firstTile, tiles);
}

int64_t Distribution::cellOn(int64_t tile) const {
  if (!tiles().contains(tile)) return -1;
  const int64_t cell = (tile - m_base - m_firstTile + m_tileCount) % m_tileCount;
  return cell < m_cells ? cell : -1;
}

Box Distribution::cell(int64_t index) const {
  Box b;
  b.dims.resize(m_shape.size());
  for (std::size_t d = m_shape.size(); d-- > 0;) {
    const int64_t i = index % m_splits[d];
    index /= m_splits[d];
    b.dims[d] = {i * m_parts[d], std::min(m_shape[d], (i + 1) * m_parts[d])};
  }
  return b;
}

int64_t Distribution::cellsTouched(const Box& box) const {
  int64_t n = 1;
  for (std::size_t d = 0; d < m_shape.size(); ++d) {
    if (box.dims[d].empty()) return 0;
    n *= (box.dims[d].end - 1) / m_parts[d] - box.dims[d].begin / m_parts[d] + 1;
  }
  return n;
}

// Every operation calls this several times. So it visits single cells only if the last cells are smaller in a dimension other
// than the outermost.
PerTile Distribution::elementsByTile() const {
  PerTile byTile;
  const auto add = [&](int64_t begin, int64_t end, int64_t elements) { // `elements` for each of the cells [begin, end)
    if (begin >= end || elements == 0) return;
    const int64_t first = (m_firstTile + begin) % m_tileCount, behind = first + end - begin;
    byTile.add(TileRange{m_base + first, m_base + std::min(behind, m_tileCount)}, elements);
    if (behind > m_tileCount) byTile.add(TileRange{m_base, m_base + behind - m_tileCount}, elements);
  };
  int64_t inner = 1, cellsInside = 1; // elements and cells of a grid without its outermost dimension
  bool isEven = m_cells <= m_tileCount;
  for (std::size_t d = 1; d < m_shape.size(); ++d) {
    isEven = isEven && m_shape[d] % m_parts[d] == 0;
    inner *= m_parts[d];
    cellsInside *= m_splits[d];
  }
  if (isEven && !m_shape.empty()) {
    const int64_t whole = m_shape[0] / m_parts[0] * cellsInside;
    add(0, whole, m_parts[0] * inner);
    add(whole, m_cells, m_shape[0] % m_parts[0] * inner);
    return byTile;
  }
  std::vector<int64_t> dense(std::size_t(m_tileCount), 0);
  for (int64_t c = 0; c < m_cells; ++c) {
    int64_t index = c, volume = 1;
    for (std::size_t d = m_shape.size(); d-- > 0; index /= m_splits[d]) {
      const int64_t begin = index % m_splits[d] * m_parts[d];
      volume *= std::max<int64_t>(0, std::min(m_shape[d], begin + m_parts[d]) - begin);
    }
    dense[std::size_t(tileOf(c) - m_base)] += volume;
  }
  return PerTile::fromDense(dense, m_base);
}

int64_t Distribution::maxElements() const {
  int64_t n = 1;
  for (std::size_t d = 0; d < m_shape.size(); ++d) n *= std::min(m_parts[d], m_shape[d]);
  return n;
}

Distribution Distribution::permuted(const std::vector<int64_t>& order) const {
  // Cells keep their tiles only if their order does not change, i.e. if at most one permuted dimension is split. Otherwise their
  // numbers change too. The layout is still valid for the result, and moving the data to it is counted as traffic.
  Distribution d = *this;
  d.m_grid = nullptr;
  d.m_viewed = nullptr;
  d.m_matrices = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    d.m_shape[i] = m_shape[std::size_t(order[i])];
    d.m_splits[i] = m_splits[std::size_t(order[i])];
    d.m_parts[i] = m_parts[std::size_t(order[i])];
  }
  return d;
}

Distribution Distribution::flattened(int64_t matrices) const {
  int64_t elements = 1;
  for (int64_t e : m_shape) elements *= e;
  Distribution flat({elements}, {m_cells}, {1}, m_firstTile, tiles());
  flat.m_grid = m_grid;
  if (m_shape.size() > 1 || (!m_grid && m_parts != flat.m_parts)) flat.m_grid = std::make_shared<const Distribution>(*this);
  flat.m_isEstimate = m_isEstimate;
  flat.m_laidFor = m_laidFor;
  flat.m_matrices = m_matrices;
  if (matrices > 0 && m_shape[2] > 1 && m_shape[1] > matrices) flat.m_matrices = matrices; // otherwise both orders are the same
  return flat;
}

bool Distribution::isCertain() const {
  if (m_isEstimate || m_laidFor || m_cells > m_tileCount) return false;
  return !m_grid || (m_grid->cells() == m_cells && m_grid->elementsByTile() == elementsByTile());
}

bool Distribution::sameAs(const Distribution& o) const {
  return m_shape == o.m_shape && m_splits == o.m_splits && m_parts == o.m_parts && m_firstTile == o.m_firstTile &&
         m_base == o.m_base && m_tileCount == o.m_tileCount;
}

Distribution Distribution::movedTo(TileRange tiles) const {
  Distribution d = *this;
  d.m_viewed = nullptr;
  d.m_base = tiles.begin;
  if (m_grid) d.m_grid = std::make_shared<const Distribution>(m_grid->movedTo(tiles));
  return d;
}

namespace {
// The pairs of a sum are known only if they are known for every part with bytes.
void addPairs(SharedPairs& pairs, bool hasBytes, const SharedPairs& other, bool otherHasBytes) {
  if ((hasBytes && pairs.empty()) || (otherHasBytes && other.empty()) || pairs.size() + other.size() > kKeptPairRuns)
    pairs.clear();
  else
    pairs.add(other);
}
} // namespace

void TileTraffic::add(const TileTraffic& other) {
  if ((latencyIn.empty() && !bytesIn.empty()) || (other.latencyIn.empty() && !other.bytesIn.empty()))
    latencyIn = PerTile(); // unknown for one part, so unknown for the sum
  else
    latencyIn.maxWith(other.latencyIn);
  addPairs(pairs, !bytesIn.empty(), other.pairs, !other.bytesIn.empty());
  for (const MoveNote& note : other.notes)
    if (notes.size() < kMostMoveNotes) notes.push_back(note);
  bytesIn.add(other.bytesIn);
  bytesOut.add(other.bytesOut);
  messagesIn.add(other.messagesIn);
  messagesOut.add(other.messagesOut);
  sharedIn.add(other.sharedIn);
}

void Traffic::add(const Traffic& other) {
  TileTraffic::add(other);
  localBytes.add(other.localBytes);
  addPairs(linkPairs, !linkBytesIn.empty(), other.linkPairs, !other.linkBytesIn.empty());
  linkBytesIn.add(other.linkBytesIn);
  linkBytesOut.add(other.linkBytesOut);
  linkFlows.insert(linkFlows.end(), other.linkFlows.begin(), other.linkFlows.end());
}

namespace {
// Number of sends of one tile: a piece for several tiles leaves once, so there are at most as many sends as different pieces.
int64_t sendsOf(int64_t held, int64_t piece, int64_t receivers) {
  return std::max<int64_t>(1, std::min(receivers, ceilDiv(held, std::max<int64_t>(1, piece))));
}
} // namespace

namespace {
// Elements that both boxes `a` and `b`, on tiles of one bus, must receive.
int64_t sharedElements(const Distribution& source, const Box& a, int64_t tileA, const Box& b, int64_t tileB) {
  const Box both = a.intersection(b);
  const int64_t volume = both.volume();
  if (volume == 0) return 0;
  const auto heldOn = [&](int64_t tile) {
    const int64_t own = source.cellOn(tile);
    return own < 0 ? 0 : both.intersection(source.cell(own)).volume();
  };
  return volume - heldOn(tileA) - heldOn(tileB);
}
} // namespace

namespace {
bool onOtherIpus(TileRange a, TileRange b, int64_t tilesPerIpu) {
  if (a.overlaps(b)) return false;
  if (tilesPerIpu <= 0) return true;
  return (a.end - 1) / tilesPerIpu < b.begin / tilesPerIpu || (b.end - 1) / tilesPerIpu < a.begin / tilesPerIpu;
}
} // namespace

Traffic trafficTo(const Distribution& source, const std::vector<Box>& boxes, int64_t firstTile, TileRange tiles,
                  int64_t elementBytes, int64_t tilesPerIpu, bool withPairs) {
  const bool overLinks = onOtherIpus(tiles, source.tiles(), tilesPerIpu);
  std::vector<int64_t> in(std::size_t(tiles.size()), 0), messagesIn(in), local(in), shared(in),
      out(std::size_t(source.tiles().size()), 0), messagesOut(out);
  int64_t messages = 0, remote = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const int64_t volume = boxes[i].volume();
    if (volume == 0) continue;
    const int64_t tile = (firstTile + int64_t(i)) % tiles.size(); // within the range
    const int64_t own = source.cellOn(tiles.begin + tile);
    const int64_t here = own < 0 ? 0 : boxes[i].intersection(source.cell(own)).volume();
    remote += volume - here;
    local[std::size_t(tile)] += here * elementBytes;
    if (volume == here) continue;
    in[std::size_t(tile)] += (volume - here) * elementBytes;
    const int64_t senders = source.cellsTouched(boxes[i]) - (here > 0 ? 1 : 0);
    messagesIn[std::size_t(tile)] += senders;
    messages += senders;
    if (overLinks || i == 0) continue;
    const int64_t previous = (firstTile + int64_t(i) - 1) % tiles.size();
    if (graph::busPartner(tiles.begin + tile) != tiles.begin + previous || boxes[i - 1].volume() == 0) continue;
    const int64_t both =
        sharedElements(source, boxes[i - 1], tiles.begin + previous, boxes[i], tiles.begin + tile) * elementBytes;
    shared[std::size_t(tile)] = shared[std::size_t(previous)] = both;
  }
  // Each source cell broadcasts once the elements that others need. If boxes overlap little with other cells, these are only a
  // part of the cell.
  if (remote > 0) {
    int64_t elements = 1;
    for (int64_t e : source.shape()) elements *= e;
    const double share = std::min(1.0, double(remote) / double(std::max<int64_t>(1, elements)));
    const int64_t piece =
        std::max<int64_t>(1, remote / std::max<int64_t>(1, messages)); // elements that one receiver takes from one sender
    for (int64_t c = 0; c < source.cells(); ++c) {
      const std::size_t tile = std::size_t(source.tileOf(c) - source.tiles().begin);
      const int64_t volume = source.cell(c).volume();
      out[tile] += roundUp(int64_t(double(volume) * share) * elementBytes, 4);
      messagesOut[tile] += sendsOf(volume, piece, messages / source.cells());
    }
  }
  const int64_t to = tiles.begin, from = source.tiles().begin;
  Traffic t;
  if (withPairs && remote > 0)
    t.notes.push_back(
        {{}, numerics::elementCount(source.shape()), remote * elementBytes, noteOf(source), noteOf(source.shape(), boxes)});
  const bool areBoxes = source.isCertain() && (!source.grid() || liesInRows(source));
  if (withPairs && remote > 0 && areBoxes)
    (overLinks ? t.linkPairs : t.pairs) = pairsTo(source, boxes, firstTile, tiles, elementBytes);
  if (overLinks) {
    t.linkBytesIn = PerTile::fromDense(in, to);
    t.linkBytesOut = PerTile::fromDense(out, from);
    return t;
  }
  t.bytesIn = PerTile::fromDense(in, to);
  t.bytesOut = PerTile::fromDense(out, from);
  t.messagesIn = PerTile::fromDense(messagesIn, to);
  t.messagesOut = PerTile::fromDense(messagesOut, from);
  t.sharedIn = PerTile::fromDense(shared, to);
  t.localBytes = PerTile::fromDense(local, to);
  return t;
}

namespace {
Pairs withoutReceivers(Pairs pairs, TileRange tiles) {
  for (std::size_t i = 0, count = pairs.size(); i < count; ++i) {
    const reports::PairRun run = pairs[i];
    const TileRange all{run.receiver, int64_t(run.receiver) + run.receivers};
    if (!all.overlaps(tiles)) continue;
    pairs[i].receivers = int32_t(std::max<int64_t>(0, tiles.begin - all.begin));
    if (tiles.end >= all.end) continue;
    reports::PairRun behind = run;
    behind.receiver = int32_t(tiles.end);
    behind.receivers = int32_t(all.end - tiles.end);
    behind.sender = int32_t(run.firstSender(tiles.end));
    if (pairs[i].receivers == 0)
      pairs[i] = behind;
    else
      pairs.push_back(behind);
  }
  std::erase_if(pairs, [](const reports::PairRun& run) { return run.receivers == 0; });
  return pairs;
}

// Pairs of an exchange for which a plan gives only volumes; `takers` may know the elements of each tile.
SharedPairs blindPairs(const Distribution& source, const PerTile& elementsNeeded, int64_t elements, const PerTile& bytesIn,
                       const Takers& takers) {
  const ViewedLayout* viewed = source.viewed();
  if (!hasKnownElements(viewed ? viewed->layout : source)) return {};
  if (!viewed && source.cells() == 1) return pairsFrom(source.tileOf(0), bytesIn);
  const auto takesAll = [&](const PerTile::Run& run) { return run.value == elements; };
  const bool all = std::all_of(elementsNeeded.runs().begin(), elementsNeeded.runs().end(), takesAll);
  if (!takers.take && !all) return {};
  if (all) {
    PlannedPairs pairs(source, bytesIn);
    pairs.allToAll();
    return pairs.finish();
  }
  const auto make = [&](const Distribution& from, TileRange receivers) {
    PlannedPairs pairs(from, bytesIn, receivers);
    takers.take(pairs);
    return pairs.finish();
  };
  const TileRange everywhere{0, std::numeric_limits<int64_t>::max()};
  if (takers.key.empty()) return make(source, everywhere);
  PairKey key(source.tiles().begin);
  const TileRange tiles = source.tiles(), holders{source.tileOf(0), source.tileOf(0) + source.cells()};
  if (viewed || 4 * source.cells() > tiles.size() || holders.end > tiles.end || source.grid())
    return remembered(key.add(source).add(bytesIn).add(takers.key), [&] { return make(source, everywhere); });
  // Small tensors start on different tiles, so the pairs are cached for one start and shifted.
  constexpr int64_t kElsewhere = int64_t(1) << 24;
  std::vector<int64_t> parts;
  for (std::size_t d = 0; d < source.shape().size(); ++d) parts.push_back(source.part(d));
  const Distribution moved(source.shape(), source.splits(), parts, 0, {tiles.begin + kElsewhere, tiles.end + kElsewhere});
  Pairs pairs = remembered(key.add(moved).add(bytesIn).add(takers.key), [&] { return make(moved, everywhere); }).runs();
  if (pairs.empty()) return pairs;
  const Pairs own = bytesIn.within(holders).empty() ? Pairs() : make(source, holders);
  if (own.empty() && !bytesIn.within(holders).empty()) return make(source, everywhere); // too many receivers already hold all
  for (reports::PairRun& run : pairs) run.sender += int32_t(holders.begin - tiles.begin - kElsewhere);
  pairs = withoutReceivers(std::move(pairs), holders);
  pairs.insert(pairs.end(), own.begin(), own.end());
  return pairs;
}
} // namespace

void obeySendingLaw(TileTraffic& traffic, const PerTile& holders) {
  const int64_t received = traffic.bytesIn.sum(), sent = traffic.bytesOut.sum(), held = holders.sum();
  if (held <= 0 || (sent <= received && (sent > 0 || received == 0))) return;
  const int64_t words = received / 4;
  const auto upTo = [&](int64_t weight) { return int64_t(__int128(words) * weight / held); };
  PerTile out;
  int64_t before = 0;
  for (const auto& run : holders.runs()) {
    const int64_t tiles = run.tiles.size(), after = before + run.value * tiles;
    const int64_t share = upTo(after) - upTo(before), more = share % tiles; // tiles that send one more word
    out.add({run.tiles.begin, run.tiles.begin + more}, (share / tiles + 1) * 4);
    out.add({run.tiles.begin + more, run.tiles.end}, share / tiles * 4);
    before = after;
  }
  traffic.bytesOut = std::move(out);
}

Traffic trafficBlind(const Distribution& source, const PerTile& elementsNeeded, int64_t elementBytes, int64_t tilesPerIpu,
                     const Takers& takers, bool withPairs) {
  Traffic t;
  if (elementsNeeded.empty()) return t;
  const TileRange hull{elementsNeeded.runs().front().tiles.begin, elementsNeeded.runs().back().tiles.end};
  int64_t total = 0, elements = 1, receivers = 0;
  for (int64_t e : source.shape()) elements *= e;
  const double own = source.tiles().overlaps(hull) ? 1.0 / double(std::max<int64_t>(1, source.cells())) : 0.0, remote = 1.0 - own;
  const int64_t cellSize = std::max<int64_t>(1, source.maxElements());
  for (const auto& run : elementsNeeded.runs()) {
    const int64_t bytes = roundUp(int64_t(double(run.value) * remote) * elementBytes, 4);
    t.bytesIn.add(run.tiles, bytes);
    t.localBytes.add(run.tiles, run.value * elementBytes - std::min(bytes, run.value * elementBytes));
    const int64_t senders = std::min(source.cells(), ceilDiv(run.value, cellSize) + 1);
    if (bytes) t.messagesIn.add(run.tiles, senders);
    total += bytes * run.tiles.size();
    receivers += run.tiles.size() * senders;
  }
  if (total == 0) return t;
  if (withPairs) {
    const bool isSaid = takers.wanted.tiles > 0;
    t.notes.push_back({{}, elements, total, noteOf(source), isSaid ? takers.wanted : noteOf(elementsNeeded, elements)});
  }
  if (onOtherIpus(source.tiles(), hull, tilesPerIpu)) {
    t.linkBytesIn = std::move(t.bytesIn); // all bytes come from another IPU
    if (withPairs) t.linkPairs = blindPairs(source, elementsNeeded, elements, t.linkBytesIn, takers);
    t.bytesIn = t.messagesIn = t.localBytes = PerTile();
    for (const auto& run : source.elementsByTile().runs()) t.linkBytesOut.add(run.tiles, roundUp(run.value * elementBytes, 4));
    if (!sendersAgree(t.linkPairs, t.linkBytesOut)) t.linkPairs.clear();
    return t;
  }
  const double share = std::min(1.0, double(total) / double(std::max<int64_t>(1, elements) * elementBytes));
  if (withPairs) t.pairs = blindPairs(source, elementsNeeded, elements, t.bytesIn, takers);
  const PerTile held = source.elementsByTile();
  const int64_t piece = std::max<int64_t>(1, total / elementBytes / std::max<int64_t>(1, receivers));
  for (const auto& run : held.runs()) {
    t.bytesOut.add(run.tiles, roundUp(int64_t(double(run.value) * share) * elementBytes, 4));
    t.messagesOut.add(run.tiles, sendsOf(run.value, piece, receivers / std::max<int64_t>(1, held.activeTiles())));
  }
  obeySendingLaw(t, held);
  if (!sendersAgree(t.pairs, t.bytesOut)) t.pairs.clear();
  return t;
}

Traffic trafficInOrder(const Distribution& source, const Distribution& target, int64_t elementBytes, int64_t tilesPerIpu,
                       bool withPairs) {
  PairKey key(source.tiles().begin);
  Takers takers{[&](PlannedPairs& pairs) { pairs.inOrderOf(target); }, key.add(0).add(target).numbers(), {}};
  if (withPairs) takers.wanted = noteOf(target);
  return trafficBlind(source, target.elementsByTile(), elementBytes, tilesPerIpu, takers, withPairs);
}

} // namespace simcore::graph

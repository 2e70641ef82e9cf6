#include "simcore/graph/planned_pairs.h"

#include "simcore/graph/viewed_layout.h"

namespace simcore::graph {

namespace {
// At most 1 / kLeastOfHolders of an exchange's bytes may go to tiles that already hold everything they receive.
constexpr int64_t kLeastOfHolders = 100;
// Limit of pieces of elements and of senders; a plan with more gets no pairs.
constexpr int64_t kMostLooked = int64_t(1) << 21;
// A receiver's shares are summed by sender if there are at least kFewShares of them, with at most kMostSummed senders.
constexpr std::size_t kFewShares = 8;
constexpr int64_t kMostSummed = 4096;
constexpr std::size_t kManyShares = 32;
} // namespace

PlannedPairs::PlannedPairs(const Distribution& source, const PerTile& bytesIn, TileRange receivers)
    : m_view(source.viewed()), m_source(m_view ? m_view->layout : source), m_order(m_source), m_bytesIn(bytesIn),
      m_cells(m_order.cells()), m_pairs(kKeptPairRuns), m_receivers(receivers),
      m_elements(numerics::elementCount(source.shape())), m_all(bytesIn.sum()), m_failed(!hasKnownElements(m_source)) {}

// The cells of a layout in order, as ranges of tiles: from the first tile on, wrapping around.
std::vector<PlannedPairs::Holders> PlannedPairs::holdersOf(const Distribution& of) {
  const Distribution& layout = of.grid() ? *of.grid() : of;
  const int64_t first = layout.tiles().begin + layout.firstTile();
  const PerTile held = layout.elementsByTile();
  std::vector<Holders> holders;
  int64_t begin = 0;
  const auto add = [&](TileRange tiles, int64_t elements) {
    if (tiles.begin >= tiles.end) return;
    holders.push_back({begin, elements, tiles.begin, tiles.size()});
    begin = holders.back().end();
  };
  for (const auto& r : held.runs()) add({std::max(r.tiles.begin, first), r.tiles.end}, r.value);
  for (const auto& r : held.runs()) add({r.tiles.begin, std::min(r.tiles.end, first)}, r.value);
  return holders;
}

void PlannedPairs::receiver(int64_t tile) {
  end();
  m_shares.clear();
  m_tile = tile;
  m_bytes = m_bytesIn.at(tile);
  m_isOpen = true;
}

bool PlannedPairs::same(int64_t tile) {
  if (m_tile < 0) return false;
  end();
  if (m_bytesIn.at(tile) != m_bytes) return false;
  if (m_bytes == 0) return true;
  if (!m_repeats) return false;
  for (const Share& s : m_shares)
    if (s.has(tile)) return false;
  if (!m_pairs.same(tile)) return false;
  m_total += m_bytes;
  return true;
}

std::vector<PlannedPairs::Holders>::const_iterator PlannedPairs::holderOf(int64_t element) {
  if (m_holders.empty()) m_holders = holdersOf(m_source);
  const auto it =
      std::upper_bound(m_holders.begin(), m_holders.end(), element, [](int64_t at, const Holders& h) { return at < h.begin; });
  return it == m_holders.begin() ? it : std::prev(it);
}

void PlannedPairs::take(reports::Range<int64_t> elements) {
  if (!m_view) return takeOfSource(elements);
  if (m_failed || m_bytes == 0) return;
  m_view->forEachStretch(elements, [&](reports::Range<int64_t> stretch) {
    takeOfSource(stretch);
    return !m_failed;
  });
}

void PlannedPairs::takeOfSource(reports::Range<int64_t> elements) {
  if (m_order.liesInRows() || (!m_view && elements.begin == 0 && elements.end == m_elements))
    takeOfCells(elements);
  else
    m_order.forEachBox(elements, [&](const Box& box) { takeOfGrid(box); });
}

// The receiver takes these elements, numbered cell by cell.
void PlannedPairs::takeOfCells(reports::Range<int64_t> elements) {
  if (m_bytes == 0) return;
  for (auto it = holderOf(elements.begin); elements.begin < elements.end && it != m_holders.end() && !m_failed; ++it) {
    const Holders& h = *it;
    const int64_t end = std::min(elements.end, h.end());
    if (elements.begin >= end) continue;
    const int64_t from = (elements.begin - h.begin) / h.elements, last = (end - 1 - h.begin) / h.elements;
    if (++m_looked > kMostLooked) m_failed = true;
    if (from == last) {
      add(h.tile + from, end - elements.begin, 1, 1);
    } else { // the first and the last cell may be taken in part
      add(h.tile + from, h.begin + (from + 1) * h.elements - elements.begin, 1, 1);
      if (last > from + 1) add(h.tile + from + 1, h.elements, last - from - 1, 1);
      add(h.tile + last, end - h.begin - last * h.elements, 1, 1);
    }
    elements.begin = end;
  }
}

void PlannedPairs::take(const Box& box) {
  if (m_source.grid() || m_view)
    take(reports::Range<int64_t>{box.dims[0].begin, box.dims[0].end}); // one dimension only
  else
    takeOfGrid(box);
}

void PlannedPairs::takeOfGrid(const Box& box) {
  if (m_failed || m_bytes == 0 || box.volume() == 0) return;
  m_cells.forEachStretch(
      box, [&](int64_t sender, int64_t elements, int64_t senders, int64_t stride) { add(sender, elements, senders, stride); });
  if (m_cells.tooMany()) m_failed = true;
}

// Takes a box of the view's shape, or of this shape with its leading dimensions joined to one.
bool PlannedPairs::takeOfView(const Shape& shape, const Box& box) {
  const Shape& own = m_view->shape;
  const auto takeBox = [&](const Box& of) {
    m_view->forEachStretch(of, [&](reports::Range<int64_t> stretch) {
      takeOfSource(stretch);
      return !m_failed;
    });
  };
  if (own == shape) return takeBox(box), true;
  const std::ptrdiff_t kept = std::ptrdiff_t(shape.size()) - 1;
  if (kept < 1 || kept > std::ptrdiff_t(own.size()) || !std::equal(shape.begin() + 1, shape.end(), own.end() - kept))
    return false;
  forEachRowBox(box.dims[0], Shape(own.begin(), own.end() - kept), [&](Box of) {
    of.dims.insert(of.dims.end(), box.dims.begin() + 1, box.dims.end());
    if (!m_failed) takeBox(of);
  });
  return true;
}

void PlannedPairs::take(const Shape& shape, const Box& box) {
  if (m_bytes == 0 || box.volume() == 0) return;
  if (m_view && takeOfView(shape, box)) return;
  if (!m_view && m_source.shape() == shape && shape.size() > 1) return take(box);
  if (!m_view && m_order.isOfMatrices(shape)) return m_order.forEachGridBox(box, [&](const Box& of) { takeOfGrid(of); });
  forEachRowStretch(shape, box, [&](reports::Range<int64_t> elements) {
    take(elements);
    return !m_failed;
  });
}

void PlannedPairs::add(int64_t sender, int64_t elements, int64_t senders, int64_t stride) {
  if (m_failed) return;
  if (m_shares.size() > std::size_t(kMostLooked)) {
    m_failed = true;
    return;
  }
  if (!m_shares.empty()) {
    Share& last = m_shares.back();
    if (last.last() == sender) { // another part of the same sender
      if (last.senders > 1) {
        --last.senders;
        m_shares.push_back({sender, 1, 1, last.elements + elements});
      } else {
        last.elements += elements;
      }
      if (senders > 1) m_shares.push_back({sender + stride, senders - 1, stride, elements});
      return;
    }
    const int64_t step = last.senders > 1 ? last.stride : senders > 1 ? stride : sender - last.sender;
    if (last.elements == elements && step > 0 && sender == last.last() + step && (senders == 1 || stride == step)) {
      last.stride = step;
      last.senders += senders;
      return;
    }
  }
  m_shares.push_back({sender, senders, stride, elements});
}

bool PlannedPairs::dropOwn() {
  bool any = false;
  for (std::size_t i = 0; i < m_shares.size(); ++i) {
    Share& s = m_shares[i];
    if (!s.has(m_tile)) continue;
    any = true;
    const int64_t before = (m_tile - s.sender) / s.stride;
    Share behind = s;
    behind.sender = m_tile + s.stride;
    behind.senders = s.senders - before - 1;
    s.senders = before;
    if (behind.senders == 0) continue;
    if (before == 0)
      s = behind;
    else
      m_shares.insert(m_shares.begin() + std::ptrdiff_t(i) + 1, behind), ++i;
  }
  std::erase_if(m_shares, [](const Share& s) { return s.senders == 0; });
  return any;
}

// If boxes name the same senders again and again, as for transposed tensors, makes one share per sender.
void PlannedPairs::sumShares() {
  int64_t senders = 0;
  for (const Share& s : m_shares) senders += s.senders;
  if (m_shares.size() < kFewShares || senders > kMostSummed) return;
  std::vector<std::pair<int64_t, int64_t>> sums;
  sums.reserve(std::size_t(senders));
  for (const Share& s : m_shares)
    for (int64_t i = 0; i < s.senders; ++i) sums.emplace_back(s.sender + i * s.stride, s.elements);
  std::sort(sums.begin(), sums.end());
  std::vector<Share> before = std::exchange(m_shares, {});
  for (std::size_t i = 0; i < sums.size();) {
    int64_t elements = 0;
    const int64_t sender = sums[i].first;
    for (; i < sums.size() && sums[i].first == sender; ++i) elements += sums[i].second;
    add(sender, elements, 1, 1);
  }
  if (m_shares.size() > before.size()) m_shares = std::move(before);
}

void PlannedPairs::end() {
  if (!std::exchange(m_isOpen, false) || m_failed || m_bytes == 0) return;
  m_repeats = !dropOwn();
  sumShares();
  m_total += m_bytes;
  int64_t elements = 0;
  for (const Share& s : m_shares) elements += s.elements * s.senders;
  m_looked += int64_t(m_shares.size());
  if (elements == 0)
    sendFromNext();
  else
    send(elements);
  if (m_pairs.full() || m_looked > kMostLooked) m_failed = true;
}

// Handles a tile that already holds its elements although the plan has bytes for it: the next cell counts as the sender. Allowed
// for a small share of all bytes.
void PlannedPairs::sendFromNext() {
  m_without += m_bytes;
  m_repeats = false;
  const int64_t cell = m_source.cellOn(m_tile);
  if (cell < 0 || m_source.cells() < 2 || m_without * kLeastOfHolders > m_all) {
    m_failed = true;
    return;
  }
  m_pairs.receiver(m_tile);
  m_pairs.take(m_source.tileOf(cell + 1 < m_source.cells() ? cell + 1 : cell - 1), m_bytes);
}

// Splits the bytes over the shares in proportion to the elements, in whole words if the bytes are words. The sum up to the end of
// each share is rounded; within a share the first senders send one word more.
void PlannedPairs::send(int64_t elements) {
  const int64_t unit = m_bytes % 4 == 0 ? 4 : 1, units = m_bytes / unit;
  __extension__ using Wide = __int128;
  const auto unitsOf = [&](int64_t part) { return int64_t((Wide(2 * part) * units + elements) / (2 * elements)); };
  m_pairs.receiver(m_tile);
  if (m_shares.size() > kManyShares) { // one run per share; bytes that rounding drops are added to the next share
    int64_t part = 0, sent = 0;
    for (const Share& s : m_shares) {
      part += s.elements * s.senders;
      const int64_t each = (unitsOf(part) - sent) / s.senders;
      sent += each * s.senders;
      m_pairs.take(s.sender, each * unit, s.senders, s.stride);
    }
    m_pairs.take(m_shares.back().sender, unit, units - sent, m_shares.back().stride);
    return;
  }
  const bool areAlike =
      std::all_of(m_shares.begin(), m_shares.end(), [&](const Share& s) { return s.elements == m_shares.front().elements; });
  const int64_t senders = areAlike ? elements / m_shares.front().elements : 0;
  int64_t part = 0, sent = 0, before = 0;
  for (const Share& s : m_shares) {
    part += s.elements * s.senders;
    const int64_t own = unitsOf(part) - sent;
    sent += own;
    const int64_t each = areAlike ? units / senders : own / s.senders,
                  more = areAlike ? std::clamp<int64_t>(units % senders - before, 0, s.senders) : own % s.senders;
    before += s.senders;
    m_pairs.take(s.sender, (each + 1) * unit, more, s.stride);
    m_pairs.take(s.sender + more * s.stride, each * unit, s.senders - more, s.stride);
  }
}

void PlannedPairs::inOrderOf(const Distribution& target) {
  const CellOrder order(target);
  if (numerics::elementCount(target.shape()) != m_elements || !hasKnownElements(target))
    m_failed = true;
  else if (!m_view && !(m_order.liesInRows() && order.liesInRows()) && order.isLike(m_order))
    for (int64_t c = 0; c < order.cells().cells() && !m_failed; ++c) {
      if (!wants(order.cells().tileOf(c))) continue;
      receiver(order.cells().tileOf(c));
      takeOfGrid(order.cells().cell(c));
    }
  else if (!order.liesInRows() && order.cells().shape().size() > 1 && !order.hasMatrices())
    for (int64_t c = 0; c < order.cells().cells() && !m_failed; ++c) {
      if (!wants(order.cells().tileOf(c))) continue;
      receiver(order.cells().tileOf(c));
      take(order.cells().shape(), order.cells().cell(c));
    }
  else
    inOrderOf(target, [&](reports::Range<int64_t> cell) { take(cell); });
}

void PlannedPairs::inOrderOf(const Distribution& target, const std::function<void(reports::Range<int64_t>)>& takeOf) {
  const CellOrder order(target);
  if (!hasKnownElements(target)) m_failed = true;
  if (!order.liesInRows()) {
    for (int64_t c = 0; c < order.cells().cells() && !m_failed; ++c) {
      if (!wants(order.cells().tileOf(c))) continue;
      receiver(order.cells().tileOf(c));
      if (m_bytes == 0) continue;
      order.forEachStretch(order.cells().cell(c), [&](reports::Range<int64_t> stretch) {
        takeOf(stretch);
        return !m_failed;
      });
    }
    return;
  }
  for (const Holders& h : holdersOf(target))
    for (int64_t i = 0; i < h.count && !m_failed; ++i) {
      if (!wants(h.tile + i)) continue;
      receiver(h.tile + i);
      if (m_bytes > 0) takeOf({h.begin + i * h.elements, h.begin + (i + 1) * h.elements});
    }
}

void PlannedPairs::takeEach(reports::Range<int64_t> elements) {
  if (m_bytes == 0) return;
  if (!m_order.liesInRows() || m_view) m_failed = true;
  for (auto it = holderOf(elements.begin); it != m_holders.end() && it->begin < elements.end && !m_failed; ++it) {
    const Holders& h = *it;
    const int64_t begin = std::max(elements.begin, h.begin), end = std::min(elements.end, h.end());
    if (begin >= end) continue;
    const int64_t first = (begin - h.begin) / h.elements, last = (end - 1 - h.begin) / h.elements;
    if (++m_looked > kMostLooked) m_failed = true;
    add(h.tile + first, 1, last - first + 1, 1);
  }
}

void PlannedPairs::allToAll() {
  for (const auto& run : m_bytesIn.runs())
    for (int64_t tile = run.tiles.begin; tile < run.tiles.end && !m_failed; ++tile) {
      if (same(tile)) continue;
      receiver(tile);
      takeAll();
    }
}

std::vector<Box> cellsOf(const Distribution& layout) {
  std::vector<Box> cells;
  for (int64_t c = 0; c < layout.cells(); ++c) cells.push_back(layout.cell(c));
  return cells;
}

Takers boxTakers(const Distribution& source, const Shape& shape, const std::vector<Box>& boxes, int64_t firstTile,
                 TileRange tiles) {
  if (source.shape().size() > 1 && source.shape() != shape) return {};
  return {[&shape, &boxes, firstTile, tiles](PlannedPairs& pairs) {
            const Box* before = nullptr;
            for (std::size_t i = 0; i < boxes.size() && !pairs.failed(); ++i) {
              if (boxes[i].volume() == 0) continue;
              const int64_t tile = tiles.begin + (firstTile + int64_t(i)) % tiles.size();
              if (!pairs.wants(tile) || (before && before->dims == boxes[i].dims && pairs.same(tile))) continue;
              pairs.receiver(tile);
              pairs.take(shape, boxes[i]);
              before = &boxes[i];
            }
          },
          {}};
}

Pairs PlannedPairs::finish() {
  end();
  const int64_t wanted = m_bytesIn.within(m_receivers).sum();
  const bool isKnown = !m_failed && m_total == wanted;
  Pairs pairs = m_pairs.finish();
  return isKnown ? std::move(pairs) : Pairs();
}

} // namespace simcore::graph

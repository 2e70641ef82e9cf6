#include "simcore/ops/sort/selection.h"

#include "simcore/codelets/sort.h"
#include "simcore/numerics/reduce.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/plan/exchange_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace simcore::ops {

using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;

namespace {

constexpr int64_t kCountBytes = 4, kMostShortPosition = 1 << 16, kMostBits = 4;

int64_t positionBytes(int64_t length) { return length <= kMostShortPosition ? 2 : 4; }

// A list of keys of one row, with room for `keys` of them: two counts, then positions and keys.
int64_t listBytes(ElementType type, int64_t keys, int64_t length) {
  return 2 * positionBytes(length) + keys * (positionBytes(length) + elementBytes(type));
}

// Bytes of a tile for all its rows.
struct SelectionSizes {
  int64_t limits, counts, workerLists, list, best;
};
SelectionSizes sizesOf(const arch::Machine& m, ElementType type, const SelectionPlan& p, int64_t length, int64_t k) {
  const int64_t workers = m.tile.workers, n = p.tileRows;
  return {n * p.limits() * elementBytes(type), n * p.limits() * p.splits * kCountBytes,
          n * workers * listBytes(type, ceilDiv(p.share, workers), length), n * listBytes(type, p.share, length),
          n * k * (4 + elementBytes(type))};
}

// Worker cycles of a tile's steps, for each of its rows.
struct StepCosts {
  codelets::VertexCost count, narrow, list, pack, join;
};
StepCosts costsOf(const arch::Machine& m, ElementType type, const SelectionPlan& p, int64_t k) {
  const int64_t workers = m.tile.workers, ofWorker = ceilDiv(p.share, workers);
  return {codelets::countAtLeast(m.tile, type, ceilDiv(p.share, p.splits), ceilDiv(p.limits(), workers / p.splits)),
          codelets::narrowLimits(m.tile, p.cuts * p.splits, p.limits()), codelets::listAtLeast(m.tile, type, ofWorker),
          codelets::joinLists(m.tile, workers, 1, 0, std::min(ofWorker, k)),
          codelets::joinLists(m.tile, p.cuts, ceilDiv(p.cuts, workers), p.share, ceilDiv(k, workers))};
}

void estimateSelection(const arch::Machine& m, ElementType type, int64_t length, int64_t k, SelectionPlan& p) {
  const StepCosts costs = costsOf(m, type, p, k);
  const int64_t workers = m.tile.workers;
  p.computeCycles = p.rounds * workers *
                        (p.tileRows * costs.count.cycles.value() + ceilDiv(p.tileRows, workers) * costs.narrow.cycles.value()) +
                    workers * p.tileRows * (costs.list.cycles + costs.pack.cycles + costs.join.cycles).value();
  const int64_t lists = p.cuts * listBytes(type, p.share, length);
  const SelectionSizes sizes = sizesOf(m, type, p, length, k);
  if (p.cuts > 1) {
    p.exchangeCycles = p.rounds * (exchangeEstimate(m, double(p.cuts * p.splits * p.limits() * kCountBytes), p.cuts) +
                                   exchangeEstimate(m, double(p.limits() * elementBytes(type)))) +
                       exchangeEstimate(m, double(lists), p.cuts);
  }
  p.temporaryBytes = p.tileRows * p.share * elementBytes(type) + sizes.limits + sizes.counts + sizes.workerLists + sizes.list +
                     sizes.best + (p.cuts > 1 ? p.cuts * std::max(sizes.counts, sizes.list) : 0);
  p.fits = double(p.temporaryBytes) <= kAvailableMemoryProportion * double(m.tile.memory.value());
}

} // namespace

SelectionPlan planSelection(const arch::Machine& m, ElementType type, int64_t rows, int64_t length, int64_t k) {
  Cheapest<SelectionPlan> best;
  const int64_t most = std::clamp<int64_t>(m.tilesPerIpu / std::max<int64_t>(1, rows), 1, length);
  for (int64_t cuts = 1; cuts <= most; cuts += std::max<int64_t>(1, cuts / 4))
    for (int64_t bits = 1; bits <= kMostBits; ++bits)
      for (int64_t splits = 1; splits <= m.tile.workers; ++splits) {
        if (m.tile.workers % splits) continue;
        SelectionPlan p;
        p.cuts = cuts, p.bits = bits, p.splits = splits;
        p.rowCuts = std::clamp<int64_t>(m.tilesPerIpu / cuts, 1, std::max<int64_t>(1, rows));
        p.share = ceilDiv(length, cuts), p.tileRows = ceilDiv(std::max<int64_t>(1, rows), p.rowCuts);
        p.rounds = ceilDiv(8 * elementBytes(type), bits);
        estimateSelection(m, type, length, k, p);
        best.offer(p);
      }
  return best.plan();
}

namespace {

// ---- numbers ---------------------------------------------------------------------------------------------------------------

// Maps a key to an integer in the same order (NaN is the largest), or in reverse order if the smallest are wanted. So the best
// key has the largest integer.
uint64_t keyOf(double value, bool isFloat, bool largest) {
  uint64_t key = 0;
  if (!isFloat) {
    key = uint64_t(int64_t(value)) ^ (uint64_t(1) << 63);
  } else if (std::isnan(value)) {
    key = UINT64_MAX;
  } else {
    const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
    key = bits >> 63 ? ~bits : bits | (uint64_t(1) << 63);
  }
  return largest ? key : ~key;
}

// The keys of one row as its tiles hold them; each tile answers only for its own keys.
class SelectedRow {
public:
  SelectedRow(std::vector<std::vector<uint64_t>> tiles, int64_t workers) : m_tiles(std::move(tiles)), m_workers(workers) {}

  // The largest limit that at least `k` keys reach, found bit by bit.
  uint64_t limit(int64_t k) const {
    uint64_t found = 0;
    for (int bit = 63; bit >= 0; --bit)
      if (const uint64_t tried = found | (uint64_t(1) << bit); countAtLeast(tried) >= k) found = tried;
    return found;
  }

  // Positions of the k best, from the lists of the workers: all keys above the limit, and as many keys equal to it as are
  // missing.
  std::vector<int64_t> positions(int64_t k) const {
    const uint64_t last = limit(k);
    const int64_t above = last == UINT64_MAX ? 0 : countAtLeast(last + 1);
    std::vector<int64_t> joined;
    int64_t equalLeft = k - above, first = 0;
    for (const auto& tile : m_tiles) {
      const int64_t each = std::max<int64_t>(1, ceilDiv(int64_t(tile.size()), m_workers));
      for (int64_t begin = 0; begin < int64_t(tile.size()); begin += each)
        for (int64_t i = begin; i < std::min(begin + each, int64_t(tile.size())); ++i) {
          const uint64_t key = tile[std::size_t(i)];
          if (key < last || (key == last && equalLeft-- <= 0)) continue;
          joined.push_back(first + i);
        }
      first += int64_t(tile.size());
    }
    return joined;
  }

private:
  int64_t countAtLeast(uint64_t limit) const {
    int64_t sum = 0;
    for (const auto& tile : m_tiles) sum += std::count_if(tile.begin(), tile.end(), [&](uint64_t key) { return key >= limit; });
    return sum;
  }

  std::vector<std::vector<uint64_t>> m_tiles;
  int64_t m_workers;
};

std::vector<HostTensor> selectedCells(const HostTensor& x, const Distribution& source, const SelectionPlan& plan, int64_t k,
                                      bool largest, int64_t workers) {
  const int64_t rows = x.dim(0), length = x.dim(1);
  const Pieces pieces(x, source);
  std::vector<double> values;
  std::vector<int64_t> indices;
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<std::vector<uint64_t>> tiles(std::size_t(plan.cuts));
    for (int64_t i = 0; i < length; ++i)
      tiles[std::size_t(i / plan.share)].push_back(keyOf(pieces.at(r * length + i), numerics::isFloating(x.type()), largest));
    for (const int64_t position : SelectedRow(std::move(tiles), workers).positions(k)) {
      indices.push_back(position);
      values.push_back(pieces.at(r * length + position));
    }
  }
  return {HostTensor::of({rows, k}, values).cast(x.type()), HostTensor::of({rows, k}, indices)};
}

// ---- program ---------------------------------------------------------------------------------------------------------------

class Selection {
public:
  Selection(const OpBuilder& b, const SelectionPlan& plan, const Tensor& rows, int64_t k)
      : m_b(b), m_plan(plan), m_type(rows.elementType()), m_length(rows.dim(1)),
        m_layout({rows.dim(0), plan.cuts * plan.share}, {plan.rowCuts, plan.cuts}, {1, plan.share}, 0, b.tileRange()),
        m_costs(costsOf(b.machine(), m_type, plan, k)) {
    for (int64_t cell = 0; cell < m_layout.cells(); cell += plan.cuts) m_homes.add(oneTile(m_layout.tileOf(cell)), 1);
    m_tiles = m_layout.elementsByTile();
  }

  void run(const Tensor& rows, const Tensor& values, const Tensor& indices) {
    const int64_t workers = m_b.tile().workers, limits = m_plan.limits(), n = m_plan.tileRows;
    const SelectionSizes sizes = sizesOf(m_b.machine(), m_type, m_plan, m_length, values.dim(1));
    const Tensor keys = m_b.output(m_type, m_layout.shape(), "keys", m_layout);
    m_b.exchange("gatherRows", {rows}, {keys},
                 m_b.trafficBlind(m_b.layoutOf(rows), m_layout.elementsByTile(), elementBytes(m_type)));
    const Tensor bounds = bytes(m_type, "limits", m_tiles, sizes.limits, MemoryCategory::Variable),
                 counts = bytes(ElementType::Int32, "counts", m_tiles, sizes.counts, MemoryCategory::Variable);
    everywhere("setLimits", codelets::narrowLimitsSpec(), codelets::narrowLimits(m_b.tile(), 0, limits), m_tiles, 1, {keys},
               {bounds});
    Sequence round;
    const OpBuilder b = m_b.into(round);
    Selection(*this, b).narrow(keys, bounds, counts);
    m_b.program().add(graph::program::repeat(m_plan.rounds, round, "rounds", m_b.context()));
    const Tensor lists = bytes(m_type, "lists", m_tiles, sizes.workerLists, MemoryCategory::Variable),
                 list = bytes(m_type, "list", m_tiles, sizes.list, MemoryCategory::Variable);
    everywhere("listAtLeast", codelets::listAtLeastSpec(m_type), m_costs.list, m_tiles, n * workers, {keys, bounds}, {lists});
    everywhere("packLists", codelets::joinListsSpec(m_type), m_costs.pack, m_tiles, n * workers, {lists}, {list});
    const Tensor all = gathered("gatherLists", list, sizes.list);
    const Tensor best = bytes(m_type, "best", m_homes, sizes.best, MemoryCategory::Variable);
    everywhere("joinLists", codelets::joinListsSpec(m_type), m_costs.join, m_homes, n * workers, {all, bounds}, {best});
    const Distribution home({m_layout.shape()[0], values.dim(1)}, {m_plan.rowCuts, 1}, {1, 1}, 0, m_b.tileRange());
    Traffic taken = m_b.trafficBlind(home, m_b.layoutOf(values).elementsByTile(), elementBytes(m_type) + 4);
    if (m_plan.cuts > 1) fromHomesOnly(taken, sizes.best);
    m_b.exchange("takeBest", {best}, {values, indices}, taken);
  }

private:
  Selection(const Selection& other, const OpBuilder& b)
      : m_b(b), m_plan(other.m_plan), m_type(other.m_type), m_length(other.m_length), m_layout(other.m_layout),
        m_costs(other.m_costs), m_homes(other.m_homes), m_tiles(other.m_tiles) {}

  static graph::TileRange oneTile(int64_t tile) { return {tile, tile + 1}; }

  // One round: counts of each tile, their sums on the row's first tile, the next limits from there.
  void narrow(const Tensor& keys, const Tensor& bounds, const Tensor& counts) {
    const int64_t workers = m_b.tile().workers, n = m_plan.tileRows;
    everywhere("countAtLeast", codelets::countAtLeastSpec(m_type), m_costs.count, m_tiles, n * workers, {keys, bounds}, {counts});
    const Tensor all = gathered("gatherCounts", counts, n * m_plan.limits() * m_plan.splits * kCountBytes);
    if (m_plan.cuts == 1) return everywhere("narrow", codelets::narrowLimitsSpec(), m_costs.narrow, m_homes, n, {all}, {bounds});
    const int64_t each = n * m_plan.limits() * elementBytes(m_type);
    const Tensor next = bytes(m_type, "next", m_homes, each, MemoryCategory::Variable);
    everywhere("narrow", codelets::narrowLimitsSpec(), m_costs.narrow, m_homes, n, {all}, {next});
    Traffic traffic;
    fromHomes(traffic, reports::roundUp(each, 4));
    m_b.exchange("broadcastLimits", {next}, {bounds}, traffic);
  }

  Tensor bytes(ElementType type, const std::string& name, const PerTile& tiles, int64_t each, MemoryCategory category) {
    PerTile sizes;
    for (const auto& r : tiles.runs()) sizes.add(r.tiles, each);
    return m_b.buffer(type, name, sizes, category);
  }

  void everywhere(const std::string& name, const codelets::VertexSpec& spec, const codelets::VertexCost& cost,
                  const PerTile& tiles, int64_t vertices, const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
    Superstep step(m_b, name);
    for (const auto& r : tiles.runs()) step.add(spec, cost, r.tiles, vertices);
    step.execute(reads, writes);
  }

  // The first tile of a row receives the parts of the row's other tiles.
  Tensor gathered(const std::string& name, const Tensor& from, int64_t each) {
    if (m_plan.cuts == 1) return from;
    const Tensor all = bytes(from.elementType(), name + "In", m_homes, m_plan.cuts * each, MemoryCategory::Message);
    Traffic t;
    const int64_t words = reports::roundUp(each, 4);
    for (const auto& r : m_tiles.runs()) t.bytesOut.add(r.tiles, words), t.messagesOut.add(r.tiles, 1);
    for (const auto& r : m_homes.runs()) {
      t.bytesIn.add(r.tiles, m_plan.cuts * words);
      t.messagesIn.add(r.tiles, m_plan.cuts);
    }
    m_b.exchange(name, {from}, {all}, t);
    return all;
  }

  // Changes the senders to the first tiles of rows, which are `cuts` apart; the blind plan assumed neighbouring tiles. Received
  // bytes stay.
  void fromHomesOnly(Traffic& t, int64_t bytesOfHome) const {
    if (t.bytesIn.sum() == 0) return;
    const int64_t messages = std::max<int64_t>(1, t.messagesIn.sum() / std::max<int64_t>(1, m_homes.activeTiles()));
    t.pairs.clear();
    t.bytesOut = t.messagesOut = PerTile();
    for (const auto& r : m_homes.runs()) {
      t.bytesOut.add(r.tiles, reports::roundUp(bytesOfHome, 4));
      t.messagesOut.add(r.tiles, messages);
    }
    graph::obeySendingLaw(t, m_homes);
  }

  void fromHomes(Traffic& t, int64_t words) {
    for (const auto& r : m_homes.runs()) t.bytesOut.add(r.tiles, words), t.messagesOut.add(r.tiles, 1);
    for (const auto& r : m_tiles.runs()) t.bytesIn.add(r.tiles, words), t.messagesIn.add(r.tiles, 1);
  }

  const OpBuilder& m_b;
  const SelectionPlan& m_plan;
  ElementType m_type;
  int64_t m_length;
  Distribution m_layout;
  StepCosts m_costs;
  PerTile m_homes, m_tiles; // the first tile of each row; all tiles
};

} // namespace

void selectBest(const OpBuilder& b, const Tensor& rows, int64_t k, bool largest, const Tensor& values, const Tensor& indices) {
  const int64_t n = rows.dim(0), length = rows.dim(1);
  const SelectionPlan plan = planSelection(b.machine(), rows.elementType(), n, length, k);
  b.recordPlan("selection by counting",
               fmt::format("{} rows of {}: rows/{} row/{}, {} rounds of {} bits", n, length, plan.rowCuts, plan.cuts, plan.rounds,
                           plan.bits),
               {{"partition", {{"rows", plan.rowCuts}, {"row", plan.cuts}}}, {"rounds", plan.rounds}, {"bits", plan.bits}},
               plan.cost());
  const Distribution source = b.layoutOf(rows);
  Selection(b, plan, rows, k).run(rows, values, indices);
  b.compute(
      {rows}, {values, indices},
      [plan, source, k, largest, workers = int64_t(b.tile().workers), byCells = b.byCells()](const std::vector<HostTensor>& in) {
        if (byCells) return selectedCells(in[0], source, plan, k, largest, workers);
        auto best = numerics::topK(in[0], k, 1, largest, false);
        return std::vector<HostTensor>{best.values, best.indices};
      });
}

} // namespace simcore::ops

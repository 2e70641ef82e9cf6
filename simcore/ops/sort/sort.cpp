#include "simcore/ops/sort/sort.h"

#include "simcore/codelets/loss.h"
#include "simcore/codelets/sort.h"
#include "simcore/numerics/reduce.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/sort/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace simcore::ops {

using graph::Box;
using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;

namespace {

int64_t powerFrom(int64_t n) { return int64_t(std::bit_ceil(uint64_t(std::max<int64_t>(1, n)))); }

// One step of the network over a row: element i is compared with i ^ distance, and the better one moves to the lower position if
// bit `direction` of i is not set (0: always).
struct NetworkStep {
  int64_t distance = 1, direction = 0, elements = 1;
  bool drops = false; // the worse half is dropped, which halves the elements
};

std::vector<NetworkStep> network(int64_t run, int64_t padded) {
  std::vector<NetworkStep> steps;
  // Runs sorted alternately best first and best last.
  for (int64_t size = 2; size <= run; size *= 2)
    for (int64_t d = size / 2; d >= 1; d /= 2) steps.push_back({d, size, padded, false});
  // A pair of opposite runs: the best of both remain in the lower one, again as a bitonic run.
  for (int64_t n = padded; n > run; n /= 2) {
    steps.push_back({run, 0, n, true});
    for (int64_t d = run / 2; d >= 1; d /= 2) steps.push_back({d, run, n / 2, false});
  }
  return steps;
}

struct Entry {
  double value = 0;
  int64_t index = 0;
  bool before(const Entry& o, bool largest) const {
    if (value != o.value) return largest ? value > o.value : value < o.value;
    return index < o.index;
  }
};

// Tile t of a row has the remaining elements at the positions t * share .. (t + 1) * share.
void runStep(std::vector<std::vector<Entry>>& tiles, const NetworkStep& step, bool largest) {
  const std::vector<std::vector<Entry>> before = tiles;
  const auto share = int64_t(before[0].size());
  const auto held = [&](int64_t i) -> const Entry& { return before.at(std::size_t(i / share)).at(std::size_t(i % share)); };
  for (std::size_t t = 0; t < tiles.size(); ++t)
    for (int64_t j = 0; j < share; ++j) {
      const int64_t i = int64_t(t) * share + j, partner = i ^ step.distance;
      if (i >= step.elements || partner >= step.elements) continue;
      const bool lower = i < partner, bestFirst = step.direction == 0 || (i & step.direction) == 0;
      const bool mineIsBetter = held(i).before(held(partner), largest);
      if ((lower == bestFirst) != mineIsBetter) tiles[t][std::size_t(j)] = held(partner);
    }
  if (!step.drops) return;
  // Remaining runs move together: every second one is dropped.
  const std::vector<std::vector<Entry>> kept = tiles;
  const auto at = [&](int64_t i) -> const Entry& { return kept[std::size_t(i / share)][std::size_t(i % share)]; };
  for (int64_t i = 0; i < step.elements / 2; ++i)
    tiles[std::size_t(i / share)][std::size_t(i % share)] = at(i / step.distance * 2 * step.distance + i % step.distance);
}

// [values, indices] of [rows, k], as doubles and integers.
std::vector<HostTensor> topKCells(const HostTensor& x, const Distribution& source, const TopKPlan& plan, int64_t k,
                                  bool largest) {
  const int64_t rows = x.dim(0), length = x.dim(1), share = plan.padded / plan.cuts;
  const Pieces pieces(x, source);
  std::vector<double> values;
  std::vector<int64_t> indices;
  const double worst = largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<std::vector<Entry>> tiles(std::size_t(plan.cuts), std::vector<Entry>(std::size_t(share)));
    for (int64_t i = 0; i < plan.padded; ++i)
      tiles[std::size_t(i / share)][std::size_t(i % share)] = {i < length ? pieces.at(r * length + i) : worst, i};
    for (const NetworkStep& step : network(plan.run, plan.padded)) runStep(tiles, step, largest);
    for (int64_t i = 0; i < k; ++i) {
      const Entry& e = tiles[std::size_t(i / share)][std::size_t(i % share)];
      values.push_back(e.value);
      indices.push_back(e.index);
    }
  }
  return {HostTensor::of({rows, k}, values).cast(x.type()), HostTensor::of({rows, k}, indices)};
}

// Worker cycles of a tile's pairs in one step, as tile cycles.
int64_t pairCycles(const arch::Machine& m, ElementType type, int64_t pairs) {
  return m.tile.workers * codelets::compareExchange(m.tile, type, true, ceilDiv(pairs, m.tile.workers)).cycles.value();
}

void estimate(const arch::Machine& m, ElementType type, int64_t rows, TopKPlan& p) {
  const int64_t eachRows = ceilDiv(rows, p.rowCuts), share = p.padded / p.cuts;
  for (const NetworkStep& step : network(p.run, p.padded)) {
    const int64_t held = eachRows * std::min(share, step.elements);
    if (step.distance >= share) {
      ++p.exchangedSteps; // half of the elements are sent to the partner and back
      p.exchangeCycles += exchangeEstimate(m, held * (elementBytes(type) + 4));
    } else {
      ++p.localSteps;
    }
    p.computeCycles += pairCycles(m, type, ceilDiv(held, 2));
  }
}

} // namespace

TopKPlan planTopK(const arch::Machine& machine, ElementType type, int64_t rows, int64_t length, int64_t k) {
  Cheapest<TopKPlan> best;
  for (int64_t cuts = 1; cuts <= machine.tilesPerIpu; cuts *= 2) {
    TopKPlan p;
    p.run = powerFrom(k);
    p.padded = powerFrom(std::max(length, p.run));
    p.cuts = cuts;
    if (cuts > 1 && p.padded / cuts < 2) break;
    p.rowCuts = std::clamp<int64_t>(machine.tilesPerIpu / cuts, 1, std::max<int64_t>(1, rows));
    estimate(machine, type, std::max<int64_t>(1, rows), p);
    best.offer(p);
  }
  return best.plan();
}

namespace {

// A matrix of rows with the dimension last.
struct AxisRows {
  Tensor matrix;
  std::vector<std::size_t> back; // permutation from [others..., k] to the result's dimensions
  Shape others;
};
AxisRows rowsAlong(const Tensor& x, std::size_t axis) {
  AxisRows r;
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (d != axis) {
      order.push_back(d);
      r.others.push_back(x.dim(d));
    }
  order.push_back(axis);
  r.back.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) r.back[order[i]] = i;
  const int64_t rows = numerics::elementCount(r.others);
  r.matrix = x.dimShuffle(order).reshape({rows, x.dim(axis)});
  return r;
}

class TopKLowering {
public:
  TopKLowering(const OpBuilder& b, const Tensor& rows, const TopKPlan& plan)
      : m_b(b), m_plan(plan), m_type(rows.elementType()), m_rows(rows.dim(0)),
        m_layout({m_rows, plan.padded}, {plan.rowCuts, plan.cuts}, {1, plan.padded / plan.cuts},
                 b.graph().nextStartTile(plan.rowCuts * plan.cuts) % b.tiles(), b.tileRange()) {}

  void run(const Tensor& rows, const Tensor& values, const Tensor& indices) {
    const Tensor keys = m_b.output(m_type, {m_rows, m_plan.padded}, "keys", m_layout),
                 places = m_b.output(ElementType::Int32, {m_rows, m_plan.padded}, "places", m_layout);
    m_b.exchange("gatherRows", {rows}, {keys, places},
                 m_b.trafficBlind(m_b.layoutOf(rows), m_layout.elementsByTile(), elementBytes(m_type)));
    const int64_t share = m_plan.padded / m_plan.cuts;
    for (const NetworkStep& step : network(m_plan.run, m_plan.padded)) {
      std::vector<Tensor> reads{keys, places};
      if (step.distance >= share) reads.push_back(meet(keys, places));
      compare(step, reads, {keys, places});
    }
    const Distribution out = m_b.layoutOf(values);
    m_b.exchange("takeBest", {keys, places}, {values, indices},
                 m_b.trafficBlind(m_layout, out.elementsByTile(), elementBytes(m_type) + 4));
  }

private:
  Tensor meet(const Tensor& keys, const Tensor& places) {
    PerTile bytes;
    bytes.add(m_layout.elementsByTile(), elementBytes(m_type) + 4);
    const Tensor partner = m_b.buffer(m_type, "partner", bytes, MemoryCategory::Message);
    Traffic t;
    for (const auto& r : bytes.runs()) {
      t.bytesIn.add(r.tiles, reports::roundUp(r.value, 4));
      t.bytesOut.add(r.tiles, reports::roundUp(r.value, 4));
      t.messagesIn.add(r.tiles, 1);
      t.messagesOut.add(r.tiles, 1);
    }
    m_b.exchange("meetPartner", {keys, places}, {partner}, t);
    return partner;
  }

  void compare(const NetworkStep& step, const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) {
    Superstep s(m_b, step.drops ? "mergeAndDrop" : "compareAndSwap");
    const int64_t share = m_plan.padded / m_plan.cuts;
    for (const auto& r : m_layout.elementsByTile().runs()) {
      const int64_t pairs = std::max<int64_t>(1, r.value / share * std::min(share, step.elements) / 2),
                    workers = std::min<int64_t>(m_b.tile().workers, pairs);
      s.add(codelets::compareExchangeSpec(m_type, true),
            codelets::compareExchange(m_b.tile(), m_type, true, ceilDiv(pairs, workers)), r.tiles, workers);
    }
    s.execute(reads, writes);
  }

  const OpBuilder& m_b;
  const TopKPlan& m_plan;
  ElementType m_type;
  int64_t m_rows;
  Distribution m_layout;
};

} // namespace

TopKResult topK(const OpBuilder& builder, const Tensor& x, int64_t k, std::size_t axis, bool largest, bool sorted) {
  const OpBuilder b = builder.within("topK", "topK");
  const AxisRows rows = rowsAlong(b.local(x), axis);
  const int64_t n = rows.matrix.dim(0), length = rows.matrix.dim(1);
  TopKResult result;
  result.values = b.output(x.elementType(), {n, k}, "values", b.linear(n * k, x.elementType()));
  result.indices = b.output(ElementType::Int64, {n, k}, "indices", b.linear(n * k, ElementType::Int32));
  if (n * k > 0 && !sorted) {
    selectBest(b, rows.matrix, k, largest, result.values, result.indices);
  } else if (n * k > 0) {
    const TopKPlan plan = planTopK(b.machine(), x.elementType(), n, length, k);
    b.recordPlan(k == length ? "bitonic sort" : "bitonic merge and drop",
                 fmt::format("{} rows of {} in runs of {}: rows/{} row/{}, {} steps on tiles, {} between", n, plan.padded,
                             plan.run, plan.rowCuts, plan.cuts, plan.localSteps, plan.exchangedSteps),
                 {{"partition", {{"rows", plan.rowCuts}, {"row", plan.cuts}}},
                  {"steps", {{"local", plan.localSteps}, {"exchanged", plan.exchangedSteps}}}},
                 plan.cost());
    TopKLowering(b, rows.matrix, plan).run(rows.matrix, result.values, result.indices);
    const Distribution source = b.layoutOf(rows.matrix);
    b.compute({rows.matrix}, {result.values, result.indices},
              [plan, source, k, largest, byCells = b.byCells()](const std::vector<HostTensor>& in) {
                if (byCells) return topKCells(in[0], source, plan, k, largest);
                auto best = numerics::topK(in[0], k, 1, largest);
                return std::vector<HostTensor>{best.values, best.indices};
              });
  }
  Shape shape = rows.others;
  shape.push_back(k);
  const auto back = [&](const Tensor& t) {
    return axis + 1 == x.rank() ? t.reshape(shape) : transpose(b, t.reshape(shape), rows.back);
  };
  return {back(result.values), back(result.indices)};
}

namespace {

// Candidates of the pieces of a row, then the best of them.
HostKernel argCells(const Distribution& source, bool largest, bool lastOnTies) {
  return oneResult([=](const std::vector<HostTensor>& in) {
    const int64_t rows = in[0].dim(0), length = in[0].dim(1);
    const Pieces x(in[0], source);
    std::vector<Entry> best(std::size_t(rows), Entry{0, -1});
    for (int64_t c = 0; c < x.cells(); ++c) {
      const auto positions = positionsOf(source.shape(), source.cell(c));
      std::vector<Entry> local(std::size_t(rows), Entry{0, -1});
      const auto offer = [&](Entry& held, const Entry& e) {
        const bool ties = held.index >= 0 && held.value == e.value;
        const bool wins = held.index < 0 || (ties ? (lastOnTies ? e.index > held.index : e.index < held.index)
                                                  : (largest ? e.value > held.value : e.value < held.value));
        if (wins) held = e;
      };
      for (std::size_t i = 0; i < positions.size(); ++i)
        offer(local[std::size_t(positions[i] / length)], {x.piece(c).at(int64_t(i)), positions[i] % length});
      for (std::size_t r = 0; r < local.size(); ++r)
        if (local[r].index >= 0) offer(best[r], local[r]);
    }
    std::vector<int64_t> indices;
    indices.reserve(best.size());
    for (const Entry& e : best) indices.push_back(e.index);
    return HostTensor::vector(indices);
  });
}

// Number of groups for comparing a row's candidates in two stages, as popnn's argMax does: the best of each group, then the best
// of all groups. 1: compares in one stage.
int64_t groupsOfCandidates(const OpBuilder& b, ElementType type, int64_t rows, int64_t ways) {
  constexpr int64_t kStage = 600;  // sync and launch of a further stage
  constexpr int64_t kFewRows = 32; // more rows keep the form that the whole model W33 (128 rows) is validated with
  if (rows > kFewRows) return 1;
  const auto costOf = [&](int64_t groups) {
    const int64_t middle = groups > 1 ? ceilDiv(rows * groups, b.tiles()) * ceilDiv(ways, groups) : 0,
                  last = groups > 1 ? groups : ways;
    return b.tile().workers * (codelets::argMax(b.tile(), type, middle).cycles.value() * (groups > 1) +
                               codelets::argMax(b.tile(), type, last).cycles.value()) +
           exchangeEstimate(b.machine(), double((middle + last) * (elementBytes(type) + 4))) + (groups > 1 ? kStage : 0);
  };
  int64_t best = 1;
  for (int64_t groups = 2; groups <= ways && rows * groups <= 4 * b.tiles(); groups *= 2)
    if (costOf(groups) < costOf(best)) best = groups;
  return best;
}

// Each tile's part of its rows, then the candidates of the tiles that share a row.
void argSteps(const OpBuilder& b, const Tensor& rows, const Tensor& out, const Distribution& source) {
  const ElementType type = rows.elementType();
  const int64_t n = rows.dim(0), length = rows.dim(1), share = std::max<int64_t>(1, source.maxElements());
  // Workers share a tile's piece of a row, or have separate rows.
  const int64_t tiles = std::clamp<int64_t>(ceilDiv(length, share), 1, source.cells());
  const bool isShared = tiles > 1;
  const int64_t ways = tiles * (isShared ? b.tile().workers : 1);
  constexpr int64_t kPlace = 4;
  PerTile candidates;
  int64_t predicted = 0;
  const auto slower = [&](int64_t& slowest, const codelets::VertexCost& cost) {
    slowest = std::max(slowest, cost.cycles.value() * b.tile().workers);
    return cost;
  };
  Superstep local(b, "localBest");
  for (const auto& r : source.elementsByTile().runs()) {
    if (isShared) {
      const codelets::VertexCost cost = codelets::argMaxShared(b.tile(), type, r.value);
      predicted = std::max(predicted, cost.cycles.value());
      candidates.add(r.tiles, b.tile().workers * (elementBytes(type) + kPlace));
      local.add(codelets::argMaxSharedSpec(type), cost, r.tiles);
      continue;
    }
    const int64_t held = std::max<int64_t>(1, ceilDiv(r.value, length)), workers = std::min<int64_t>(b.tile().workers, held);
    candidates.add(r.tiles, held * (elementBytes(type) + kPlace));
    local.add(codelets::argMaxSpec(type), slower(predicted, codelets::argMax(b.tile(), type, ceilDiv(r.value, workers))), r.tiles,
              workers);
  }
  const Tensor partials = b.buffer(type, "candidates", candidates, MemoryCategory::Variable);
  local.execute({rows}, {partials});
  // Appends a stage that finds the best of every `each` candidates; they are spread evenly over the layout's tiles.
  int64_t later = 0, gathered = 0;
  const auto compared = [&](const std::string& name, const Tensor& from, const Distribution& layout, int64_t each,
                            const Tensor& to, const PerTile& made) {
    PerTile need, bytes;
    need.add(made, each);
    bytes.add(need, elementBytes(type) + kPlace);
    const Tensor in = b.buffer(type, name + "In", bytes, MemoryCategory::Message);
    b.exchange(name, {from}, {in}, b.trafficBlind(layout, need, elementBytes(type) + kPlace));
    gathered += exchangeEstimate(b.machine(), bytes.max());
    int64_t slowest = 0;
    Superstep step(b, "best");
    for (const auto& r : made.runs()) {
      const int64_t workers = std::min<int64_t>(b.tile().workers, r.value);
      step.add(codelets::argMaxSpec(type), slower(slowest, codelets::argMax(b.tile(), type, ceilDiv(r.value * each, workers))),
               r.tiles, workers);
    }
    step.execute({in}, {to});
    later += slowest;
  };
  const Distribution first({n * ways}, {source.cells()}, {1}, source.firstTile(), source.tiles());
  const PerTile outputs = b.layoutOf(out).elementsByTile();
  const int64_t groups = groupsOfCandidates(b, type, n, ways);
  if (groups > 1) {
    const Distribution middle({n * groups}, {std::min(n * groups, b.tiles())}, {1}, 0, b.tileRange());
    PerTile bytes;
    bytes.add(middle.elementsByTile(), elementBytes(type) + kPlace);
    const Tensor best = b.buffer(type, "bestOfGroups", bytes, MemoryCategory::Variable);
    compared("gatherGroups", partials, first, ceilDiv(ways, groups), best, middle.elementsByTile());
    compared("gatherCandidates", best, middle, groups, out, outputs);
  } else {
    compared("gatherCandidates", partials, first, ways, out, outputs);
  }
  b.recordPlan(groups > 1 ? "3 stages"
               : ways > 1 ? "2 stages"
                          : "1 stage",
               fmt::format("{} rows of {}, each on {} tiles", n, length, tiles), {{"ways", tiles}, {"groups", groups}},
               {predicted + later + gathered, candidates.max()});
}

} // namespace

Tensor argReduce(const OpBuilder& builder, const Tensor& x, std::size_t axis, bool largest, bool keepDims, bool lastOnTies) {
  const OpBuilder b = builder.within(largest ? "argMax" : "argMin", largest ? "argMax" : "argMin");
  const AxisRows rows = rowsAlong(b.local(x), axis);
  const int64_t n = rows.matrix.dim(0);
  const Tensor out = b.output(ElementType::Int64, {n}, "out", b.linear(n, ElementType::Int32));
  const Distribution source = b.layoutOf(rows.matrix);
  argSteps(b, rows.matrix, out, source);
  if (b.byCells())
    b.compute({rows.matrix}, {out}, argCells(source, largest, lastOnTies));
  else
    b.compute({rows.matrix}, {out}, oneResult([largest, lastOnTies](const std::vector<HostTensor>& in) {
                return numerics::argReduce(in[0], 1, largest, false, lastOnTies);
              }));
  Shape shape = x.shape();
  shape[axis] = 1;
  if (!keepDims) shape.erase(shape.begin() + std::ptrdiff_t(axis));
  return out.reshape(shape);
}

} // namespace simcore::ops

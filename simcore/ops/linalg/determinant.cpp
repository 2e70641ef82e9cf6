#include "simcore/ops/linalg/determinant.h"

#include "reports/core/error.h"
#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/elimination.h"
#include "simcore/numerics/determinant.h"
#include "simcore/ops/cells/pieces.h"
#include "simcore/ops/plan/exchange_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace simcore::ops {

using numerics::HostTensor;
using reports::ceilDiv;
using reports::MemoryCategory;

namespace {

constexpr int64_t kFloatBytes = 4, kPlaceBytes = 4;

// Elimination steps in one loop: its vertices read the columns that remain at its beginning.
struct PivotSteps {
  int64_t first = 0, count = 1;
};
std::vector<PivotSteps> pivotSteps(int64_t size) {
  constexpr int64_t kLoops = 8;
  std::vector<PivotSteps> loops;
  const int64_t each = ceilDiv(size, kLoops);
  for (int64_t first = 0; first < size; first += each) loops.push_back({first, std::min(each, size - first)});
  return loops;
}

// Work of a tile per elimination step on `width` columns: `rows` rows of each of `matrices` matrices; `cuts` tiles per group.
struct PivotStep {
  const arch::TileArchitecture& tile;
  int64_t matrices, rows, width, cuts;

  int64_t piece() const { return ceilDiv(width, cuts); } // elements of the candidate rows among which one tile chooses
  int64_t candidateBytes() const { return matrices * cuts * (kFloatBytes + kPlaceBytes + piece() * kFloatBytes); }
  int64_t rowBytes() const { return matrices * width * kFloatBytes; }
  codelets::VertexCost search() const { return codelets::pivotSearch(tile, rows, width); } // of a matrix
  codelets::VertexCost choice() const { return codelets::pivotChoice(tile, cuts, piece()); }
  int64_t workers() const { return std::min<int64_t>(tile.workers, matrices * rows); }
  codelets::VertexCost update() const { return codelets::eliminateRows(tile, ceilDiv(matrices * rows, workers()), width); }
};

int64_t tileCycles(const arch::TileArchitecture& tile, const codelets::VertexCost& cost, int64_t vertices) {
  return ceilDiv(vertices, int64_t(tile.workers)) * tile.workers * cost.cycles.value();
}

void estimate(const arch::Machine& m, ElementType type, int64_t matrices, int64_t n, double availableMemory, DeterminantPlan& p) {
  const int64_t each = ceilDiv(matrices, p.groups), rows = ceilDiv(n, p.rowCuts), held = each * rows * n;
  p.temporaryBytes = held * (kFloatBytes + (elementBytes(type) < kFloatBytes ? elementBytes(type) : 0));
  p.exchangeCycles = exchangeEstimate(m, held * elementBytes(type));
  p.computeCycles = 0;
  if (p.whole) {
    p.computeCycles = tileCycles(m.tile, codelets::determinant(m.tile, n), each);
  } else {
    for (const PivotSteps& loop : pivotSteps(n)) {
      const PivotStep s{m.tile, each, rows, n - loop.first, p.rowCuts};
      p.computeCycles += loop.count * (tileCycles(m.tile, s.search(), each) + tileCycles(m.tile, s.update(), s.workers()));
      if (p.rowCuts == 1) continue;
      p.computeCycles += loop.count * tileCycles(m.tile, s.choice(), each);
      p.exchangeCycles += loop.count * (exchangeEstimate(m, s.candidateBytes()) + exchangeEstimate(m, s.rowBytes()));
    }
    const PivotStep first{m.tile, each, rows, n, p.rowCuts};
    p.temporaryBytes += 2 * first.rowBytes() + (p.rowCuts > 1 ? first.candidateBytes() : 0) + each * n * kPlaceBytes;
  }
  p.fits = p.temporaryBytes <= int64_t(availableMemory * double(m.tile.memory.value()));
}

// The tiles of one group while they eliminate one matrix. The host computes in double although the machine uses float, like the
// kernel of the fast path, because a determinant magnifies rounding errors.
class GroupOfTiles {
public:
  // Rows of each tile, all of length n.
  GroupOfTiles(std::vector<std::vector<std::vector<double>>> tiles, int64_t n) : m_tiles(std::move(tiles)), m_n(std::size_t(n)) {
    int64_t row = 0;
    for (const auto& rows : m_tiles) {
      m_places.emplace_back(rows.size());
      for (int64_t& place : m_places.back()) place = row++;
    }
  }

  double determinant() {
    double result = 1;
    for (std::size_t k = 0; k < m_n; ++k) {
      const std::vector<double> pivot = choose(k, result);
      result *= pivot[k];
      if (pivot[k] == 0) break;
      update(k, pivot);
    }
    return result;
  }

private:
  // The row with the largest element of column k moves to position k; every tile sends its best candidate and receives the pieces
  // of the chosen one.
  std::vector<double> choose(std::size_t k, double& sign) {
    struct Candidate {
      double value = -1;
      int64_t place = INT64_MAX;
      const std::vector<double>* row = nullptr;
    };
    std::vector<Candidate> sent(m_tiles.size());
    const auto offer = [](Candidate& best, const Candidate& other) {
      if (other.row && (!best.row || other.value > best.value || (other.value == best.value && other.place < best.place)))
        best = other;
    };
    for (std::size_t t = 0; t < m_tiles.size(); ++t)
      for (std::size_t r = 0; r < m_tiles[t].size(); ++r)
        if (m_places[t][r] >= int64_t(k)) offer(sent[t], {std::abs(m_tiles[t][r][k]), m_places[t][r], &m_tiles[t][r]});
    const std::size_t piece = (m_n + m_tiles.size() - 1) / m_tiles.size();
    std::vector<double> row(m_n);
    Candidate best;
    for (std::size_t t = 0; t < m_tiles.size(); ++t) { // each tile chooses among the candidates for its piece
      best = {};
      for (const Candidate& c : sent) offer(best, c);
      for (std::size_t i = t * piece; i < std::min(m_n, (t + 1) * piece); ++i) row[i] = (*best.row)[i];
    }
    if (best.place != int64_t(k)) sign = -sign;
    for (auto& places : m_places)
      for (int64_t& place : places) place = place == best.place ? int64_t(k) : place == int64_t(k) ? best.place : place;
    return row;
  }

  void update(std::size_t k, const std::vector<double>& pivot) {
    const double inverse = 1 / pivot[k];
    for (std::size_t t = 0; t < m_tiles.size(); ++t)
      for (std::size_t r = 0; r < m_tiles[t].size(); ++r) {
        if (m_places[t][r] <= int64_t(k)) continue;
        std::vector<double>& row = m_tiles[t][r];
        const double factor = row[k] * inverse;
        for (std::size_t j = k; j < m_n; ++j) row[j] -= factor * pivot[j];
      }
  }

  std::vector<std::vector<std::vector<double>>> m_tiles;
  std::vector<std::vector<int64_t>> m_places;
  std::size_t m_n;
};

// Computes the determinants of x [matrices, n, n] tile by tile, from the cells of `layout`. The tiles of a group hold successive
// rows of the same matrices.
HostKernel determinantCells(const Distribution& layout) {
  return oneResult([layout](const std::vector<HostTensor>& in) {
    const int64_t n = in[0].dim(2), cuts = layout.splits()[1];
    const Pieces x(in[0], layout);
    std::vector<double> results;
    for (int64_t group = 0; group < layout.splits()[0]; ++group)
      for (int64_t m = 0; m < layout.cell(group * cuts).dims[0].size(); ++m) {
        std::vector<std::vector<std::vector<double>>> tiles;
        for (int64_t t = 0; t < cuts; ++t) {
          const HostTensor& piece = x.piece(group * cuts + t); // [matrices of the group, rows of the tile, n]
          auto& rows = tiles.emplace_back();
          for (int64_t r = 0; r < piece.dim(1); ++r) {
            auto& row = rows.emplace_back();
            for (int64_t j = 0; j < n; ++j) row.push_back(piece.at((m * piece.dim(1) + r) * n + j));
          }
        }
        results.push_back(GroupOfTiles(std::move(tiles), n).determinant());
      }
    return HostTensor::vector(results).cast(in[0].type());
  });
}

class DeterminantLowering {
public:
  DeterminantLowering(const OpBuilder& b, ElementType type, int64_t matrices, int64_t n, const DeterminantPlan& plan)
      : m_b(b), m_type(type), m_n(n), m_plan(plan),
        m_layout({matrices, n, n}, {plan.groups, plan.rowCuts, 1}, {1, 1, 1},
                 b.graph().nextStartTile(plan.groups * plan.rowCuts) % b.tiles(), b.tileRange()),
        m_each(m_layout.cell(0).dims[0].size()), m_rows(m_layout.cell(0).dims[1].size()) {}

  const Distribution& layout() const { return m_layout; }

  void run(const Tensor& x, const Tensor& out) {
    const Tensor work = m_b.output(ElementType::Float, m_layout.shape(), "rows", m_layout);
    gather(x, work);
    const Tensor results = m_b.buffer(ElementType::Float, "determinants", bytes([&](int64_t) { return m_each * kFloatBytes; }),
                                      MemoryCategory::Variable);
    if (m_plan.whole) {
      Superstep step(m_b, "determinant");
      for (const auto& r : m_layout.elementsByTile().runs())
        step.add(codelets::determinantSpec(), codelets::determinant(m_b.tile(), m_n), r.tiles, ceilDiv(r.value, m_n * m_n));
      step.execute({work}, {work, results});
    } else {
      // Current position of each row, on every tile of its group.
      const Tensor places = m_b.buffer(ElementType::Int32, "places", bytes([&](int64_t) { return m_each * m_n * kPlaceBytes; }),
                                       MemoryCategory::Variable);
      Superstep start(m_b, "start");
      for (const auto& r : m_layout.elementsByTile().runs())
        start.add(codelets::fillSpec(ElementType::Int32), codelets::fill(m_b.tile(), ElementType::Int32, m_each * (m_n + 1)),
                  r.tiles);
      start.execute({}, {places, results});
      for (const PivotSteps& loop : pivotSteps(m_n)) steps(loop, work, places, results);
    }
    scatter(results, out);
  }

private:
  template<class F> PerTile bytes(F f) const {
    PerTile all;
    for (const auto& r : m_layout.elementsByTile().runs()) all.add(r.tiles, f(r.value));
    return all;
  }

  void gather(const Tensor& x, const Tensor& work) const {
    const PerTile held = m_layout.elementsByTile();
    const Traffic traffic = m_b.trafficBlind(m_b.layoutOf(x), held, elementBytes(m_type));
    if (elementBytes(m_type) == kFloatBytes) return m_b.exchange("gatherMatrices", {x}, {work}, traffic);
    const Tensor in =
        m_b.buffer(m_type, "in", bytes([&](int64_t n) { return n * elementBytes(m_type); }), MemoryCategory::Message);
    m_b.exchange("gatherMatrices", {x}, {in}, traffic);
    cast("widen", m_type, ElementType::Float, held, in, work);
  }

  void cast(const char* name, ElementType from, ElementType to, const PerTile& held, const Tensor& x, const Tensor& out) const {
    Superstep step(m_b, name);
    for (const auto& r : held.runs())
      step.add(codelets::cast1DSpec(from, to), codelets::cast1D(m_b.tile(), from, to, r.value), r.tiles);
    step.execute({x}, {out});
  }

  void scatter(const Tensor& results, const Tensor& out) const {
    const Distribution to = m_b.layoutOf(out),
                       from({m_layout.shape()[0]}, {m_layout.cells()}, {1}, m_layout.firstTile(), m_b.tileRange());
    const PerTile held = to.elementsByTile();
    const Traffic traffic = m_b.trafficBlind(from, held, kFloatBytes);
    if (elementBytes(m_type) == kFloatBytes) return m_b.exchange("giveDeterminants", {results}, {out}, traffic);
    PerTile received;
    received.add(held, kFloatBytes);
    const Tensor wide = m_b.buffer(ElementType::Float, "wide", received, MemoryCategory::Message);
    m_b.exchange("giveDeterminants", {results}, {wide}, traffic);
    cast("narrow", ElementType::Float, m_type, held, wide, out);
  }

  // Appends a loop over steps of the elimination.
  void steps(const PivotSteps& loop, const Tensor& work, const Tensor& places, const Tensor& results) const {
    Sequence body;
    const OpBuilder b = m_b.into(body);
    const PivotStep s{b.tile(), m_each, m_rows, m_n - loop.first, m_layout.splits()[1]};
    const auto rowsOf = [&](const char* name) {
      return b.buffer(ElementType::Float, name, bytes([&](int64_t) { return s.rowBytes(); }), MemoryCategory::Variable);
    };
    const Tensor best = rowsOf("candidate");
    perMatrix(b, "findPivot", codelets::pivotSearchSpec(), s.search(), {work, places}, {best});
    Tensor pivot = best;
    if (s.cuts > 1) {
      pivot = rowsOf("pivotRow");
      const PerTile in = bytes([&](int64_t) { return s.candidateBytes(); });
      const Tensor candidates = b.buffer(ElementType::Float, "candidates", in, MemoryCategory::Message),
                   piece = b.buffer(ElementType::Float, "chosen",
                                    bytes([&](int64_t) { return m_each * s.piece() * kFloatBytes; }), MemoryCategory::Variable);
      b.exchange("sendCandidates", {best}, {candidates}, allToAll(s, s.candidateBytes()));
      perMatrix(b, "choosePivot", codelets::pivotChoiceSpec(), s.choice(), {candidates}, {piece, places, results});
      b.exchange("sendPivotRow", {piece}, {pivot}, allToAll(s, s.rowBytes()));
    }
    Superstep step(b, "eliminate");
    for (const auto& r : m_layout.elementsByTile().runs())
      step.add(codelets::eliminateRowsSpec(), s.update(), r.tiles, s.workers());
    step.execute({pivot, places, work, results}, {work, places, results});
    m_b.program().add(graph::program::repeat(loop.count, body, "pivots", m_b.context()));
  }

  void perMatrix(const OpBuilder& b, const char* name, const codelets::VertexSpec& spec, const codelets::VertexCost& cost,
                 const std::vector<Tensor>& reads, const std::vector<Tensor>& writes) const {
    Superstep step(b, name);
    for (const auto& r : m_layout.elementsByTile().runs()) step.add(spec, cost, r.tiles, m_each);
    step.execute(reads, writes);
  }

  // Each tile gets `in` bytes, from the other tiles of its group except for its own part.
  Traffic allToAll(const PivotStep& s, int64_t in) const {
    Traffic t;
    for (const auto& r : m_layout.elementsByTile().runs()) {
      const int64_t others = reports::roundUp(in - in / s.cuts, 4);
      t.bytesIn.add(r.tiles, others);
      t.bytesOut.add(r.tiles, others);
      t.messagesIn.add(r.tiles, s.cuts - 1);
      t.messagesOut.add(r.tiles, s.cuts - 1);
    }
    return t;
  }

  const OpBuilder& m_b;
  const ElementType m_type;
  const int64_t m_n;
  const DeterminantPlan& m_plan;
  const Distribution m_layout;
  const int64_t m_each, m_rows;
};

} // namespace

DeterminantPlan planDeterminant(const arch::Machine& machine, ElementType type, int64_t matrices, int64_t size,
                                double availableMemory) {
  const int64_t tiles = machine.tilesPerIpu;
  Cheapest<DeterminantPlan> best;
  const auto consider = [&](int64_t cuts, bool whole) {
    DeterminantPlan p;
    p.rowCuts = ceilDiv(size, ceilDiv(size, cuts));
    p.groups = std::min(matrices, tiles / p.rowCuts);
    p.whole = whole;
    estimate(machine, type, matrices, size, availableMemory, p);
    best.offer(p);
  };
  consider(1, true);
  for (int64_t cuts = 1; cuts <= std::min(size, tiles); cuts *= 2) consider(cuts, false);
  return best.plan();
}

Tensor determinant(const OpBuilder& builder, const Tensor& operand) {
  const OpBuilder b = builder.within("determinant", "determinant");
  const Shape& given = operand.shape();
  if (given.size() < 2 || given[given.size() - 1] != given[given.size() - 2])
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "a determinant needs square matrices, not " + numerics::toString(given),
                         b.graph().fullName(b.context()));
  const ElementType type = operand.elementType();
  const int64_t n = given.back();
  const Shape shape(given.begin(), given.end() - 2);
  const int64_t matrices = numerics::elementCount(shape);
  const Tensor x = b.local(operand).reshape({matrices, n, n}), out = b.output(type, {matrices}, "out", b.linear(matrices, type));
  const DeterminantPlan plan = planDeterminant(b.machine(), type, matrices, n, b.availableMemoryProportion());
  b.recordPlan(plan.whole ? "elimination by a worker" : "elimination by rows",
               fmt::format("{} matrices of {}: matrices/{} rows/{}", matrices, n, plan.groups, plan.rowCuts),
               {{"partition", {{"matrices", plan.groups}, {"rows", plan.rowCuts}}},
                {"predicted", {{"exchange", plan.exchangeCycles}, {"compute", plan.computeCycles}}}},
               plan.cost());
  DeterminantLowering lowering(b, type, matrices, n, plan);
  lowering.run(x, out);
  if (b.byCells())
    b.compute({x}, {out}, determinantCells(lowering.layout()));
  else
    b.compute({x}, {out}, oneResult([](const std::vector<HostTensor>& in) { return numerics::determinant(in[0]); }));
  return out.reshape(shape);
}

} // namespace simcore::ops

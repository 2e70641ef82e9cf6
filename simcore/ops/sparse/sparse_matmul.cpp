#include "simcore/ops/sparse/sparse_matmul.h"

#include "simcore/codelets/convolution.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/reduce.h"
#include "simcore/codelets/sparse.h"
#include "simcore/numerics/matmul.h"
#include "simcore/ops/plan/exchange_estimate.h"
#include "simcore/ops/sparse/sparse_cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::ops {

using numerics::HostTensor;
using reports::ceilDiv;
using Problem = SparseMatmulParams;

namespace {

// Two bytes of position for each non-zero.
constexpr int64_t kMetaBytes = 2;

int64_t sizeOf(const Problem& p) { return elementBytes(p.type); }
// Static products keep partial sums in the type of the operands, dynamic ones in single precision (popsparse, StaticMatMul and
// the default of FullyConnectedOptions).
ElementType partialsOf(const Problem& p) { return p.dynamic ? ElementType::Float : p.type; }

// The contents of one tile; patterns are cut into parts with equal numbers of non-zeros (static), or equal averages (dynamic).
struct Part {
  int64_t blocks = 0, blockRows = 0, denseRows = 0, columns = 0, outputRows = 0;
};

Part partOf(const Problem& p, const SparsePlan& plan) {
  Part part;
  part.blocks = ceilDiv(p.blocks, plan.rows * plan.inner);
  part.outputRows = ceilDiv(ceilDiv(p.m, p.block), plan.rows) * p.block;
  part.blockRows = std::min(part.blocks, part.outputRows / p.block);
  part.denseRows = std::min(ceilDiv(ceilDiv(p.k, p.block), plan.inner), part.blocks) * p.block;
  part.columns = ceilDiv(p.n, plan.columns);
  return part;
}

codelets::VertexCost productCost(const arch::TileArchitecture& tile, const Problem& p, const Part& part,
                                 codelets::SparseBuckets buckets) {
  codelets::SparseProduct product;
  product.type = p.type;
  product.buckets = buckets;
  const int64_t perRow = ceilDiv(part.blocks, std::max<int64_t>(1, part.blockRows));
  if (p.block == 1) { // rows are distributed over the workers
    product.rows = ceilDiv(part.blockRows, tile.workers);
    product.nonZerosPerRow = perRow;
    product.denseColumns = part.columns;
    return codelets::sparseDenseElements(tile, product);
  }
  product.rows = part.blockRows;
  product.nonZerosPerRow = perRow;
  product.denseColumns = ceilDiv(part.columns, tile.workers);
  return codelets::sparseDenseBlocks(tile, product, partialsOf(p), p.block);
}

codelets::VertexSpec productSpec(const Problem& p) {
  return p.block == 1 ? codelets::sparseDenseElementsSpec(p.type)
                      : codelets::sparseDenseBlocksSpec(p.type, partialsOf(p), p.block);
}

int64_t bucketBytes(const Problem& p, const Part& part) {
  return reports::roundUp(int64_t(double(part.blocks) * (1 + kSparseOversize)) * (p.block * p.block * sizeOf(p) + kMetaBytes), 4);
}

// Tiles are numbered with the cuts of rows varying fastest, so neighbours on an exchange bus take their rows from the same range
// of the dense operand. The neighbour is assumed to need the same share of a tile's data as of the whole range, for any pattern.
int64_t sharedBytes(const Problem& p, const SparsePlan& plan, const Part& part) {
  if (plan.rows % 2 != 0) return 0;
  const int64_t stretch = std::max<int64_t>(1, ceilDiv(ceilDiv(p.k, p.block), plan.inner) * p.block);
  return int64_t(double(part.denseRows * part.columns * sizeOf(p)) * double(part.denseRows) / double(stretch)) / 8 * 8;
}

// Tiles that share the sparse part, one per cut of the dense columns, receive it by broadcast.
int64_t bytesIn(const Problem& p, const SparsePlan& plan, const Part& part) {
  const int64_t dense = part.denseRows * part.columns * sizeOf(p);
  const int64_t sparse = p.dynamic && plan.columns > 1 ? bucketBytes(p, part) : 0;
  return reports::roundUp(dense, 4) + sparse;
}

// The dense operand arrives in rows, but the vertex needs its own order; the result has the vertex's order, but is needed in rows.
// Each is a generic rearrangement on the tile (programming-model 2.1).
int64_t rearranging(const Problem& p, int64_t elements) {
  const int64_t bytes = elements * sizeOf(p);
  return codelets::rearrangementCycles(sizeOf(p) == 2 ? bytes : 0, sizeOf(p) == 4 ? bytes : 0, 0).value();
}

int64_t shareOfOutputs(const SparsePlan& plan, const Part& part) { return ceilDiv(part.outputRows * part.columns, plan.inner); }

void estimate(const arch::Machine& machine, const Problem& p, SparsePlan& plan) {
  const Part part = partOf(p, plan);
  const double paired = double(sharedBytes(p, plan, part)) * (1 - 1 / double(machine.exchange.tilesPerBus));
  plan.exchangeCycles = exchangeEstimate(machine, double(bytesIn(p, plan, part)) - paired);
  plan.transformCycles = rearranging(p, part.denseRows * part.columns) + rearranging(p, shareOfOutputs(plan, part));
  plan.computeCycles = productCost(machine.tile, p, part, {1, 1, 1}).cycles.value();
  plan.propagateCycles = p.dynamic ? exchangeEstimate(machine, double(bucketBytes(p, part))) +
                                         productCost(machine.tile, p, {0, 0, 0, part.columns, 0}, {1, 0, 1}).cycles.value()
                                   : 0;
  const int64_t outputs = part.outputRows * part.columns;
  if (plan.inner > 1) {
    const int64_t share = ceilDiv(outputs, plan.inner);
    plan.reduceCycles = exchangeEstimate(machine, double(share * (plan.inner - 1) * elementBytes(partialsOf(p)))) +
                        codelets::convReduceMultiInput(machine.tile, p.type, partialsOf(p), share, plan.inner).cycles.value();
  } else {
    plan.reduceCycles = exchangeEstimate(machine, double(outputs * sizeOf(p)));
    if (p.type != partialsOf(p))
      plan.reduceCycles += codelets::convCast(machine.tile, partialsOf(p), p.type, outputs).cycles.value();
  }
}

} // namespace

SparsePlan planSparseMatmul(const arch::Machine& machine, const Problem& p) {
  const int64_t tiles = machine.tilesPerIpu, blockRows = ceilDiv(p.m, p.block), blockColumns = ceilDiv(p.k, p.block);
  Cheapest<SparsePlan> best;
  for (int64_t rows = 1; rows <= std::min(tiles, blockRows); ++rows)
    for (int64_t inner = 1; inner <= std::min(tiles / rows, blockColumns); ++inner) {
      SparsePlan plan;
      plan.rows = rows;
      plan.inner = inner;
      for (int64_t columns : {std::min(p.n, tiles / (rows * inner)), int64_t(1)}) {
        plan.columns = columns;
        estimate(machine, p, plan);
        best.offer(plan);
      }
    }
  return best.plan();
}

namespace {

class Lowering {
public:
  Lowering(const OpBuilder& b, const Problem& p, const SparsePlan& plan)
      : m_p(p), m_plan(plan), m_part(partOf(p, plan)), m_all{b.tileRange().begin, b.tileRange().begin + plan.tiles()},
        m_builder(b) {}

  Tensor run(const Tensor& values, const Tensor& dense) {
    const Tensor out = m_builder.output(m_p.type, {m_p.m, m_p.n}, "out", m_builder.linear(m_p.m * m_p.n, m_p.type));
    const int64_t in = bytesIn(m_p, m_plan, m_part);
    const Tensor received = m_builder.buffer(m_p.type, "received", PerTile::uniform(m_all, in), reports::MemoryCategory::Message);
    Traffic distribute = traffic(in, ceilDiv(m_part.denseRows * m_part.columns * m_plan.tiles(), m_p.k * m_p.n));
    distribute.sharedIn = PerTile::uniform(m_all, sharedBytes(m_p, m_plan, m_part));
    // Elements leave their tile once, for all receivers.
    const int64_t held = m_p.k * m_p.n * sizeOf(m_p) + (m_p.dynamic ? m_p.blocks * m_p.block * m_p.block * sizeOf(m_p) : 0);
    distribute.bytesOut = PerTile::uniform(m_all, std::min(in, reports::roundUp(ceilDiv(held, m_plan.tiles()), 4)));
    m_builder.exchange("distribute", {values, dense}, {received}, distribute, rearranged(m_part.denseRows * m_part.columns),
                       m_builder.tile().workers);
    const int64_t sums = reports::roundUp(m_part.outputRows * m_part.columns * elementBytes(partialsOf(m_p)), 4);
    const Tensor partials =
        m_builder.buffer(partialsOf(m_p), "partials", PerTile::uniform(m_all, sums), reports::MemoryCategory::Variable);
    product("multiply", {values, received}, partials, m_part, {1, 1, 1});
    if (m_p.dynamic) propagate(values, partials);
    finishOutputs(partials, out);
    return out;
  }

private:
  PerTile rearranged(int64_t elements) const { return PerTile::uniform(m_all, rearranging(m_p, elements)); }
  Traffic traffic(int64_t bytes, int64_t senders) const {
    const PerTile each = PerTile::uniform(m_all, bytes), messages = PerTile::uniform(m_all, std::max<int64_t>(1, senders));
    return {{each, each, messages, messages, {}, {}, {}}, {}, {}, {}, {}, {}};
  }

  void product(const char* name, const std::vector<Tensor>& reads, const Tensor& partials, const Part& part,
               codelets::SparseBuckets buckets) {
    codelets::VertexCost cost = productCost(m_builder.tile(), m_p, part, buckets);
    cost.flops =
        reports::Flops(part.blocks ? 2 * m_p.blocks * m_p.block * m_p.block * m_p.n / m_plan.tiles() : 0); // real non-zeros only
    Superstep step(m_builder, name);
    step.add(productSpec(m_p), cost, m_all);
    step.execute(reads, {partials});
  }

  // Dynamic patterns: a bucket may have blocks of another tile, so buckets are passed around once and every tile searches for its
  // own blocks. With an even pattern, a tile finds none there.
  void propagate(const Tensor& values, const Tensor& partials) {
    const int64_t bytes = bucketBytes(m_p, m_part);
    const Tensor bucket = m_builder.buffer(m_p.type, "bucket", PerTile::uniform(m_all, bytes), reports::MemoryCategory::Message);
    m_builder.exchange("propagate", {values}, {bucket}, traffic(bytes, 1));
    product("propagate", {bucket}, partials, {0, 0, 0, m_part.columns, 0}, {1, 0, 1});
  }

  // Outputs are sent to their tiles: either as partial sums, which are added there, or complete.
  void finishOutputs(const Tensor& partials, const Tensor& out) {
    const int64_t outputs = m_part.outputRows * m_part.columns, ways = m_plan.inner;
    const ElementType type = partialsOf(m_p);
    Tensor result = partials;
    Traffic toPlace;
    if (ways > 1) {
      const int64_t share = ceilDiv(outputs, ways), in = reports::roundUp(share * (ways - 1) * elementBytes(type), 4);
      const Tensor gathered = m_builder.buffer(type, "gathered", PerTile::uniform(m_all, in), reports::MemoryCategory::Message);
      m_builder.exchange("gatherPartials", {partials}, {gathered}, traffic(in, ways - 1));
      Superstep step(m_builder, "reduce");
      step.add(codelets::convReduceMultiInputSpec(m_p.type, type, ways),
               codelets::convReduceMultiInput(m_builder.tile(), m_p.type, type, share, ways), m_all);
      step.execute({gathered, partials}, {out});
      result = out;
    } else {
      if (type != m_p.type) {
        Superstep step(m_builder, "cast");
        step.add(codelets::convCastSpec(type, m_p.type), codelets::convCast(m_builder.tile(), type, m_p.type, outputs), m_all);
        step.execute({partials}, {out});
        result = out;
      }
      if (m_plan.tiles() > 1) toPlace = traffic(reports::roundUp(outputs * sizeOf(m_p), 4), 1);
    }
    m_builder.exchange("order", {result}, {out}, toPlace, rearranged(shareOfOutputs(m_plan, m_part)), m_builder.tile().workers);
  }

  const Problem& m_p;
  const SparsePlan& m_plan;
  Part m_part;
  TileRange m_all;
  const OpBuilder& m_builder;
};

// Puts all blocks into a dense matrix, then multiplies it.
HostTensor multiplyAtOnce(const Problem& p, const std::vector<int64_t>& pattern, const HostTensor& values,
                          const HostTensor& dense) {
  const int64_t across = ceilDiv(p.k, p.block), area = p.block * p.block;
  HostTensor sparse(ElementType::Float, {p.m, p.k});
  auto s = sparse.mutableValues<float>();
  const auto v = values.values<float>();
  for (std::size_t i = 0; i < pattern.size(); ++i)
    for (int64_t e = 0; e < area; ++e) {
      const int64_t row = pattern[i] / across * p.block + e / p.block, column = pattern[i] % across * p.block + e % p.block;
      if (row < p.m && column < p.k) s[std::size_t(row * p.k + column)] = v[i * std::size_t(area) + std::size_t(e)];
    }
  return numerics::matmul(sparse, dense);
}

} // namespace

std::string SparsePlan::text() const {
  return fmt::format("sparse rows/{} columns/{} dense columns/{} on {} tiles", rows, inner, columns, tiles());
}

Tensor sparseMatmul(const OpBuilder& builder, const Tensor& values, const Tensor& dense, const SparseMatmulParams& p,
                    const SparsePattern& pattern) {
  const OpBuilder b = builder.within(p.dynamic ? "dynamicSparseMatmul" : "staticSparseMatmul", "sparseMatmul");
  const SparsePlan plan = planSparseMatmul(b.machine(), p);
  b.recordPlan(p.block == 1 ? "element-wise" : fmt::format("blocks of {} x {}", p.block, p.block), plan.text(),
               {{"partition", {{"rows", plan.rows}, {"columns", plan.inner}, {"dense_columns", plan.columns}}},
                {"predicted",
                 {{"exchange", plan.exchangeCycles},
                  {"transform", plan.transformCycles},
                  {"compute", plan.computeCycles},
                  {"propagate", plan.propagateCycles},
                  {"reduce", plan.reduceCycles}}}},
               plan.cost());
  const Tensor out = Lowering(b, p, plan).run(values, dense);
  b.compute({values, dense}, {out}, oneResult([p, plan, pattern, byCells = b.byCells()](const std::vector<HostTensor>& in) {
              return byCells ? multiplyByBuckets(p, plan, pattern(), in[0], in[1]) : multiplyAtOnce(p, pattern(), in[0], in[1]);
            }));
  return out;
}

} // namespace simcore::ops

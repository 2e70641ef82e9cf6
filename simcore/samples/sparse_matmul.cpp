#include "simcore/samples/sparse_matmul.h"

#include "simcore/codelets/convolution.h"
#include "simcore/codelets/copy.h"
#include "simcore/codelets/reduce.h"
#include "simcore/codelets/sparse.h"
#include "simcore/numerics/matmul.h"
#include "simcore/samples/sample_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;
using reports::ceilDiv;

namespace {

// popsparse's option metaInfoBucketOversizeProportion, and two bytes of position for each non-zero.
constexpr double kOversize = 0.3;
constexpr int64_t kMetaBytes = 2;

struct Problem {
  int64_t m = 0, k = 0, n = 0, block = 1;
  double density = 1;
  bool dynamic = false;
  ElementType type = ElementType::Float;

  int64_t blocks() const { return std::max<int64_t>(1, int64_t(density * double(ceilDiv(m, block) * ceilDiv(k, block)) + 0.5)); }
  int64_t size() const { return ops::elementBytes(type); }
};

// The sparse operand is cut by rows and columns, the dense one by columns; `cuts` in that order.
struct SparsePlan {
  int64_t rows = 1, inner = 1, columns = 1;
  int64_t exchange = 0, transform = 0, compute = 0, propagate = 0, reduce = 0;
  int64_t tiles() const { return rows * inner * columns; }
  int64_t cycles() const { return exchange + transform + compute + propagate + reduce; }
  std::string text() const {
    return fmt::format("sparse rows/{} columns/{} dense columns/{} on {} tiles", rows, inner, columns, tiles());
  }
};

// What one tile holds; patterns are cut so that every part has as many non-zeros (static) or as many on average (dynamic).
struct Part {
  int64_t blocks = 0, blockRows = 0, denseRows = 0, columns = 0, outputRows = 0;
};

Part partOf(const Problem& p, const SparsePlan& plan) {
  Part part;
  part.blocks = ceilDiv(p.blocks(), plan.rows * plan.inner);
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
  if (p.block == 1) { // rows are dealt to the workers
    product.rows = ceilDiv(part.blockRows, tile.workers);
    product.nonZerosPerRow = perRow;
    product.denseColumns = part.columns;
    return codelets::sparseDenseElements(tile, product);
  }
  product.rows = part.blockRows;
  product.nonZerosPerRow = perRow;
  product.denseColumns = ceilDiv(part.columns, tile.workers);
  return codelets::sparseDenseBlocks(tile, product, ElementType::Float, p.block);
}

codelets::VertexSpec productSpec(const Problem& p) {
  return p.block == 1 ? codelets::sparseDenseElementsSpec(p.type)
                      : codelets::sparseDenseBlocksSpec(p.type, ElementType::Float, p.block);
}

int64_t bucketBytes(const Problem& p, const Part& part) {
  return reports::roundUp(int64_t(double(part.blocks) * (1 + kOversize)) * (p.block * p.block * p.size() + kMetaBytes), 4);
}

// Tiles that share the sparse part, one a cut of the dense columns, get it by broadcast.
int64_t bytesIn(const Problem& p, const SparsePlan& plan, const Part& part) {
  const int64_t dense = part.denseRows * part.columns * p.size();
  const int64_t sparse = p.dynamic && plan.columns > 1 ? bucketBytes(p, part) : 0;
  return reports::roundUp(dense, 4) + sparse;
}

// The dense operand comes in rows and is wanted in the order of the vertex, and the result the other way round: a generic
// rearrangement of what a tile received and of what it gives (programming-model 2.1).
int64_t rearranging(const Problem& p, int64_t elements) {
  const int64_t bytes = elements * p.size();
  return codelets::rearrangementCycles(p.size() == 2 ? bytes : 0, p.size() == 4 ? bytes : 0, 0).value();
}

int64_t shareOfOutputs(const SparsePlan& plan, const Part& part) { return ceilDiv(part.outputRows * part.columns, plan.inner); }

void estimate(const arch::Machine& machine, const Problem& p, SparsePlan& plan) {
  const Part part = partOf(p, plan);
  const double rate = machine.exchange.bytesPerCycle;
  const int64_t step = machine.exchange.baseLatency.value() + machine.exchange.internalSync.value();
  plan.exchange = int64_t(double(bytesIn(p, plan, part)) / rate) + step;
  plan.transform = rearranging(p, part.denseRows * part.columns) + rearranging(p, shareOfOutputs(plan, part));
  plan.compute = productCost(machine.tile, p, part, {1, 1, 1}).cycles.value();
  plan.propagate = p.dynamic ? int64_t(double(bucketBytes(p, part)) / rate) + step +
                                   productCost(machine.tile, p, {0, 0, 0, part.columns, 0}, {1, 0, 1}).cycles.value()
                             : 0;
  const int64_t outputs = part.outputRows * part.columns;
  if (plan.inner > 1) {
    const int64_t share = ceilDiv(outputs, plan.inner);
    plan.reduce = int64_t(double(share * (plan.inner - 1) * 4) / rate) + step +
                  codelets::convReduceMultiInput(machine.tile, p.type, ElementType::Float, share, plan.inner).cycles.value();
  } else if (p.type != ElementType::Float) {
    plan.reduce = codelets::convCast(machine.tile, ElementType::Float, p.type, outputs).cycles.value();
  }
}

SparsePlan planFor(const arch::Machine& machine, const Problem& p) {
  const int64_t tiles = machine.tilesPerIpu, blockRows = ceilDiv(p.m, p.block), blockColumns = ceilDiv(p.k, p.block);
  SparsePlan best;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t rows = 1; rows <= std::min(tiles, blockRows); ++rows)
    for (int64_t inner = 1; inner <= std::min(tiles / rows, blockColumns); ++inner) {
      SparsePlan plan;
      plan.rows = rows;
      plan.inner = inner;
      for (int64_t columns : {std::min(p.n, tiles / (rows * inner)), int64_t(1)}) {
        plan.columns = columns;
        estimate(machine, p, plan);
        if (plan.cycles() >= least) continue;
        least = plan.cycles();
        best = plan;
      }
    }
  return best;
}

class Lowering {
public:
  Lowering(MeasuredGraph& g, const Problem& p, const SparsePlan& plan)
      : m_g(g), m_p(p), m_plan(plan), m_part(partOf(p, plan)), m_all{0, plan.tiles()}, m_builder(g.builder(g.main())) {}

  Workload build(bool io, uint64_t seed) {
    const Tensor values = spread(m_p.type, {m_p.blocks(), m_p.block, m_p.block}, "nonZeros"),
                 dense = spread(m_p.type, {m_p.k, m_p.n}, "dense");
    const Tensor out = spread(m_p.type, {m_p.m, m_p.n}, "out");
    m_g.initialiseUniform(values, seed + 1);
    m_g.initialiseUniform(dense, seed + 2);
    const int64_t in = bytesIn(m_p, m_plan, m_part);
    const Tensor received = m_builder.buffer(m_p.type, "received", PerTile::uniform(m_all, in), reports::MemoryCategory::Message);
    m_builder.exchange("distribute", {values, dense}, {received},
                       traffic(in, ceilDiv(m_part.denseRows * m_part.columns * m_plan.tiles(), m_p.k * m_p.n)),
                       PerTile::uniform(m_all, rearranging(m_p, m_part.denseRows * m_part.columns)));
    const Tensor partials =
        m_builder.buffer(ElementType::Float, "partials", PerTile::uniform(m_all, m_part.outputRows * m_part.columns * 4),
                         reports::MemoryCategory::Variable);
    product("multiply", {values, received}, partials, m_part, {1, 1, 1});
    if (m_p.dynamic) propagate(values, partials);
    finishOutputs(partials, out);
    m_builder.exchange("order", {out}, {out}, {}, PerTile::uniform(m_all, rearranging(m_p, shareOfOutputs(m_plan, m_part))));
    m_g.numbers(m_g.main(), "sparse matmul", {values, dense}, {out},
                [p = m_p](const std::vector<HostTensor>& x) { return std::vector<HostTensor>{multiply(p, x[0], x[1])}; });
    return m_g.finish(out, io);
  }

private:
  Tensor spread(ElementType type, const Shape& shape, const std::string& name) {
    const int64_t n = numerics::elementCount(shape);
    return m_g.laid(
        type, shape, name,
        Distribution::linear(n, ops::elementBytes(type), 0, {0, m_g.machine().tilesPerIpu}, 8 / ops::elementBytes(type)));
  }

  Traffic traffic(int64_t bytes, int64_t senders) const {
    const PerTile each = PerTile::uniform(m_all, bytes), messages = PerTile::uniform(m_all, std::max<int64_t>(1, senders));
    return {each, each, messages, messages, {}, {}, {}};
  }

  void product(const char* name, const std::vector<Tensor>& reads, const Tensor& partials, const Part& part,
               codelets::SparseBuckets buckets) {
    codelets::VertexCost cost = productCost(m_builder.tile(), m_p, part, buckets);
    cost.flops = reports::Flops(part.blocks ? 2 * m_p.blocks() * m_p.block * m_p.block * m_p.n / m_plan.tiles()
                                            : 0); // real non-zeros only
    ops::Superstep step(m_builder, name);
    step.add(productSpec(m_p), cost, m_all);
    step.execute(reads, {partials});
  }

  // Dynamic patterns: a bucket may hold what belongs to another tile, so buckets go round once and every tile looks for its
  // own. With an even pattern there is nothing to find.
  void propagate(const Tensor& values, const Tensor& partials) {
    const int64_t bytes = bucketBytes(m_p, m_part);
    const Tensor bucket = m_builder.buffer(m_p.type, "bucket", PerTile::uniform(m_all, bytes), reports::MemoryCategory::Message);
    m_builder.exchange("propagate", {values}, {bucket}, traffic(bytes, 1));
    product("propagate", {bucket}, partials, {0, 0, 0, m_part.columns, 0}, {1, 0, 1});
  }

  void finishOutputs(const Tensor& partials, const Tensor& out) {
    const int64_t outputs = m_part.outputRows * m_part.columns, ways = m_plan.inner;
    if (ways > 1) {
      const int64_t share = ceilDiv(outputs, ways), in = share * (ways - 1) * 4;
      const Tensor gathered =
          m_builder.buffer(ElementType::Float, "gathered", PerTile::uniform(m_all, in), reports::MemoryCategory::Message);
      m_builder.exchange("gatherPartials", {partials}, {gathered}, traffic(in, ways - 1));
      ops::Superstep step(m_builder, "reduce");
      step.add(codelets::convReduceMultiInputSpec(m_p.type, ElementType::Float, ways),
               codelets::convReduceMultiInput(m_builder.tile(), m_p.type, ElementType::Float, share, ways), m_all);
      step.execute({gathered, partials}, {out});
    } else {
      ops::Superstep step(m_builder, "cast");
      step.add(codelets::convCastSpec(ElementType::Float, m_p.type),
               codelets::convCast(m_builder.tile(), ElementType::Float, m_p.type, outputs), m_all);
      step.execute({partials}, {out});
    }
  }

  // Block i lies somewhere in the i-th stratum of the matrix, always in the same place.
  static HostTensor multiply(const Problem& p, const HostTensor& values, const HostTensor& dense) {
    const int64_t across = ceilDiv(p.k, p.block), all = ceilDiv(p.m, p.block) * across, blocks = p.blocks(),
                  area = p.block * p.block;
    HostTensor sparse(ElementType::Float, {p.m, p.k});
    auto s = sparse.mutableValues<float>();
    const auto v = values.values<float>();
    std::mt19937_64 random(1);
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t first = i * all / blocks, width = std::max<int64_t>(1, (i + 1) * all / blocks - first),
                    at = first + int64_t(random() % uint64_t(width));
      for (int64_t r = 0; r < p.block; ++r)
        for (int64_t c = 0; c < p.block; ++c) {
          const int64_t row = at / across * p.block + r, column = at % across * p.block + c;
          if (row < p.m && column < p.k) s[std::size_t(row * p.k + column)] = v[std::size_t(i * area + r * p.block + c)];
        }
    }
    return numerics::matmul(sparse, dense);
  }

  MeasuredGraph& m_g;
  Problem m_p;
  SparsePlan m_plan;
  Part m_part;
  TileRange m_all;
  ops::OpBuilder m_builder;
};

} // namespace

Sample sparseMatmul() {
  Sample s;
  s.name = "sparse-matmul";
  s.title = "Sparse times dense";
  s.text =
      "[m, k] x [k, n] where only a share of the left matrix, single elements or square blocks, is not zero. Only non-zeros "
      "count as floating-point operations. A dynamic pattern "
      "may change from run to run, which costs room for positions and a round of buckets; compare its plan with the static one.";
  s.parameters = {{"m", "512", "rows of the sparse matrix"},
                  {"k", "512", "its columns"},
                  {"n", "128", "columns of the dense matrix"},
                  {"density", "0.0625", "share that is not zero"},
                  {"block", "1", "1, 4, 8 or 16"},
                  {"mode", "static", "static or dynamic"},
                  typeParameter("half"),
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    Problem problem;
    problem.m = p.integer("m", 1, 1 << 17);
    problem.k = p.integer("k", 1, 1 << 17);
    problem.n = p.integer("n", 1, 1 << 17);
    problem.density = p.number("density", 1e-9, 1);
    problem.block = std::stoll(p.choice("block", {"1", "4", "8", "16"}));
    problem.dynamic = p.choice("mode", {"static", "dynamic"}) == "dynamic";
    problem.type = typeOf(p);
    MeasuredGraph g("sparse-matmul", fmt::format("Sparse [{}, {}] x [{}, {}]", problem.m, problem.k, problem.k, problem.n),
                    o.machine);
    const SparsePlan plan = planFor(o.machine, problem);
    Plan record;
    record.context = g.context();
    record.method = problem.block == 1 ? "element-wise" : fmt::format("blocks of {} x {}", problem.block, problem.block);
    record.text = plan.text();
    record.predicted = reports::Cycles(plan.cycles());
    record.details = fmt::format(
        R"({{"partition":{{"rows":{},"columns":{},"dense_columns":{}}},"predicted":{{"exchange":{},"transform":{},"compute":{},"propagate":{},"reduce":{}}}}})",
        plan.rows, plan.inner, plan.columns, plan.exchange, plan.transform, plan.compute, plan.propagate, plan.reduce);
    g.graph().addPlan(std::move(record));
    return Lowering(g, problem, plan).build(p.integer("io", 0, 1), uint64_t(o.seed));
  };
  s.variant = {"tuned",
               {{"block", "16"}},
               "The same share of non-zeros in blocks of 16 x 16: there is an index a block instead of one an element, and a "
               "block is work for the matrix unit. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples

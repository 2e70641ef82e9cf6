#include "simcore/samples/sparse_matmul.h"

#include "simcore/codelets/copy.h"
#include "simcore/ops/sparse/sparse_matmul.h"
#include "simcore/samples/sample_parts.h"
#include "simcore/samples/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace simcore::samples {

using namespace graph;
using reports::ceilDiv;

namespace {

// The positions of the blocks: block i is random, but fixed, within the i-th of equal parts of the matrix.
std::vector<int64_t> scattered(const ops::SparseMatmulParams& p) {
  const int64_t all = ceilDiv(p.m, p.block) * ceilDiv(p.k, p.block);
  std::vector<int64_t> pattern;
  std::mt19937_64 random(1);
  for (int64_t i = 0; i < p.blocks; ++i) {
    const int64_t first = i * all / p.blocks, width = std::max<int64_t>(1, (i + 1) * all / p.blocks - first);
    pattern.push_back(first + int64_t(random() % uint64_t(width)));
  }
  return pattern;
}

// The published notebook feeds each result back as the next operand, in a loop. A product writes its result by block rows and
// within these column by column (poplibs StaticMatMul; dynamic products have the same vertices), but reads an operand row by row.
// So with blocks larger than one every element moves separately: gathered before the exchange and scattered after it.
void feedBack(MeasuredGraph& g, const ops::OpBuilder& b, const ops::SparseMatmulParams& p, const Tensor& out,
              const Tensor& dense) {
  if (p.block == 1) {
    g.main().add(program::copy(out, dense, "nextOperand", g.context()));
    return;
  }
  const PerTile elements = b.layoutOf(dense).elementsByTile();
  PerTile copies;
  for (const auto& r : elements.runs())
    copies.add(r.tiles, 2 * codelets::stridedCopy(g.machine().tile, p.type, r.value).cycles.value());
  b.exchange("nextOperand", {out}, {dense}, b.trafficBlind(b.layoutOf(out), elements, ops::elementBytes(p.type)), copies,
             2 * g.machine().tile.workers);
  g.numbers(g.main(), "nextOperand", {out}, {dense}, [](const std::vector<numerics::HostTensor>& in) { return in; });
}

} // namespace

Sample sparseMatmul() {
  Sample s;
  s.name = "sparse-matmul";
  s.title = "Sparse times dense";
  s.text = "[m, k] x [k, n] with a sparse left matrix: only a share of it, single elements or square blocks, is not zero. Only "
           "non-zeros count as floating-point operations. A dynamic pattern may change from run to run, which costs memory for "
           "positions and one more exchange round for values stored on other tiles; compare its plan with the static one.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "The product is two supersteps: blocks are multiplied where they are stored, then partial sums are added."},
              {"tilescope:?view=insights&set.list=findings",
               "Copies within tiles are the costliest finding. They take more cycles than the vertices."},
              {"tilescope:?view=memory&set.breakdown=category",
               "Vertex code takes more memory than the variables: the matrices are small and sparse."}};
  s.parameters = {{"m", "512", "rows of the sparse matrix"},
                  {"k", "512", "its columns"},
                  {"n", "128", "columns of the dense matrix"},
                  {"density", "0.0625", "share that is not zero"},
                  {"block", "1", "1, 4, 8 or 16", {"1", "4", "8", "16"}},
                  {"mode", "static", "static or dynamic", {"static", "dynamic"}},
                  typeParameter("half"),
                  {"loop",
                   "1",
                   "on: the result becomes the next operand, as in the published loop (with m = k); off: the product alone",
                   {"0", "1"}},
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    ops::SparseMatmulParams params;
    params.m = p.integer("m", 1, 1 << 17);
    params.k = p.integer("k", 1, 1 << 17);
    params.n = p.integer("n", 1, 1 << 17);
    params.block = std::stoll(p.choice("block"));
    params.dynamic = p.choice("mode") == "dynamic";
    params.type = typeOf(p);
    const int64_t all = ceilDiv(params.m, params.block) * ceilDiv(params.k, params.block);
    params.blocks = std::max<int64_t>(1, std::llround(p.number("density", 1e-9, 1) * double(all)));
    MeasuredGraph g("sparse-matmul", fmt::format("Sparse [{}, {}] x [{}, {}]", params.m, params.k, params.k, params.n),
                    o.machine);
    const ops::OpBuilder b = g.builder(g.main());
    const auto spread = [&](const Shape& shape, const std::string& name, uint64_t seed) {
      const Tensor t = g.laid(params.type, shape, name, b.linear(numerics::elementCount(shape), params.type));
      g.initialiseUniform(t, seed);
      return t;
    };
    const Tensor values = spread({params.blocks, params.block, params.block}, "nonZeros", uint64_t(o.seed) + 1),
                 dense = spread({params.k, params.n}, "dense", uint64_t(o.seed) + 2);
    const Tensor out = ops::sparseMatmul(b, values, dense, params, [params] { return scattered(params); });
    if (p.integer("loop", 0, 1) && params.m == params.k) feedBack(g, b, params, out, dense);
    tellWork(g.graph(), g.context(), 2 * params.blocks * params.block * params.block * params.n);
    return g.finish(out, p.integer("io", 0, 1) != 0);
  };
  s.variant = {"tuned",
               {{"block", "16"}},
               "The same share of non-zeros in blocks of 16 x 16: one index per block instead of one per element, and a "
               "block fits the matrix unit. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples

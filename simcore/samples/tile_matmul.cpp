#include "simcore/samples/tile_matmul.h"

#include "simcore/codelets/convolution.h"
#include "simcore/numerics/matmul.h"
#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

Sample tileMatmul() {
  Sample s;
  s.name = "tile-matmul";
  s.title = "A matrix product on each tile";
  s.text = "Every tile multiplies its own [n, k] x [k, m] with one ConvPartial1x1 vertex; nothing is exchanged. Raise n and "
           "watch the rate come near the peak: loading "
           "weights and starting workers cost the same for 16 rows and for 2,048.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "One compute set and nothing else: every tile multiplies its own matrices, without exchange."},
              {"tilescope:?view=memory&set.breakdown=category", "Variables take more than four fifths of the memory in use."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "All variables except the result c are always live: operands stay where they are."}};
  s.parameters = {{"n", "256", "rows of each left matrix"},     {"k", "16", "columns of each left matrix"},
                  {"m", "16", "columns of each right matrix"},  typeParameter("half"),
                  {"tiles", "0", "tiles that compute; 0: all"}, ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t n = p.integer("n", 1, 1 << 20), k = p.integer("k", 1, 1 << 16), m = p.integer("m", 1, 1 << 16),
                  tiles = tilesOf(p, o.machine);
    const ElementType type = typeOf(p);
    MeasuredGraph g("tile-matmul",
                    std::to_string(tiles) + " matrix products " + std::to_string(n) + " x " + std::to_string(k) + " x " +
                        std::to_string(m),
                    o.machine);
    const Tensor a = g.perTile(type, {tiles, n, k}, "a"), b = g.perTile(type, {tiles, k, m}, "b"),
                 c = g.perTile(type, {tiles, n, m}, "c");
    g.initialiseUniform(a, uint64_t(o.seed) + 1);
    g.initialiseUniform(b, uint64_t(o.seed) + 2);

    codelets::Conv1x1 conv;
    conv.types = {type, type};
    const int64_t inputs = codelets::ampInputChannels(o.machine.tile, type), units = codelets::ampUnits(o.machine.tile, type);
    conv.channels.inChannelsPerGroup = inputs;
    conv.channels.inGroups = reports::ceilDiv(k, inputs);
    conv.channels.outChannelsPerGroup = reports::roundUp(m, units);
    conv.positions = n;
    codelets::VertexCost cost = codelets::convPartial1x1(o.machine.tile, conv);
    cost.flops = reports::Flops(2 * n * k * m); // without padding
    const ops::OpBuilder builder = g.builder(g.main());
    ops::Superstep step(builder, "matmul");
    step.add(codelets::convPartial1x1Spec(conv), cost, {0, tiles});
    g.numbers(g.main(), "matmul", {a, b}, {c},
              [](const std::vector<HostTensor>& in) { return std::vector<HostTensor>{numerics::matmul(in[0], in[1])}; });
    step.execute({a, b}, {c});
    return g.finish(c, p.integer("io", 0, 1));
  };
  s.variant = {"naive",
               {{"type", "float"}},
               "In single precision the matrix unit does a quarter of the multiplications per cycle. The default, in half "
               "precision, takes fewer cycles.",
               "cycles"};
  return s;
}

} // namespace simcore::samples

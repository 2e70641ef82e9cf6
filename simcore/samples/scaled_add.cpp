#include "simcore/samples/scaled_add.h"

#include "simcore/codelets/elementwise.h"
#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

Sample scaledAddSample() {
  Sample s;
  s.name = "scaled-add";
  s.title = "Scaled addition";
  s.text = "y += a x with the ScaledAdd supervisor. The published estimator, the launch of a vertex and the pair of cycle "
           "counters together match the cycles of the chip to 1 %.";
  s.lesson = {
      {"tilescope:?view=program&set.list=steps",
       "A single compute set and no exchange: the measurement covers one call of the codelet."},
      {"tilescope:?view=insights&set.list=findings", "Unused tiles are the only finding: the measurement needs one tile."},
      {"tilescope:?view=memory&set.breakdown=category", "Most of the memory is code; the two vectors together have 4 KiB."}};
  s.parameters = {
      {"n", "512", "elements on each tile"},
      typeParameter("float"),
      {"tiles", "1", "tiles that compute; 0: all"},
      {"constrained", "0", "on: the operands are in different memory elements, which allows the faster loop", {"0", "1"}},
      ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t n = p.integer("n", 1, 1 << 24), tiles = tilesOf(p, o.machine);
    const ElementType type = typeOf(p);
    codelets::ScaledAddOptions options;
    options.memoryConstrained = p.integer("constrained", 0, 1);
    MeasuredGraph g("scaled-add", "Scaled addition of " + std::to_string(n) + " elements", o.machine);
    const Tensor y = g.perTile(type, {tiles, n}, "y"), x = g.perTile(type, {tiles, n}, "x");
    g.initialiseUniform(y, uint64_t(o.seed) + 1);
    g.initialiseUniform(x, uint64_t(o.seed) + 2);
    const ops::OpBuilder builder = g.builder(g.main());
    ops::Superstep step(builder, "scaledAdd");
    step.add(codelets::scaledAddSpec(type, type, options), codelets::scaledAdd(o.machine.tile, type, type, n, options),
             {0, tiles});
    g.numbers(g.main(), "scaledAdd", {y, x}, {y}, [](const std::vector<HostTensor>& in) {
      HostTensor sum = in[0];
      auto out = sum.mutableValues<float>();
      const auto add = in[1].values<float>();
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += 0.5f * add[i];
      return std::vector<HostTensor>{sum};
    });
    step.execute({y, x}, {y});
    g.moves(3 * tiles * n * ops::elementBytes(type));
    return g.finish(y, p.integer("io", 0, 1));
  };
  s.variant = {"tuned",
               {{"constrained", "1"}},
               "The operands are in different memory elements, so that both are loaded and the result is stored in one "
               "cycle. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples

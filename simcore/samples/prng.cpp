#include "simcore/samples/prng.h"

#include "simcore/ops/elementwise/random.h"
#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

using namespace graph;
using codelets::RandomKind;

Sample prngSample() {
  Sample s;
  s.name = "prng";
  s.title = "Random numbers";
  s.text = "Every tile seeds its six generators and fills a tensor. The same seed and layout give the same numbers. A 64-bit "
           "draw takes one cycle, so a tile makes random numbers "
           "as fast as it can store them.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "Two compute sets: one sets the seeds of the tiles, the other draws numbers. Nothing is exchanged."},
              {"tilescope:?view=trace&set.tab=range", "Drawing takes nearly all cycles; a seed is a few instructions."},
              {"tilescope:?view=memory&set.breakdown=category", "The numbers take more than nine tenths of the memory in use."}};
  s.parameters = {{"n", "10000", "numbers on each tile"},
                  {"distribution", "uniform", "uniform, normal or bernoulli", {"uniform", "normal", "bernoulli"}},
                  typeParameter("float"),
                  {"tiles", "0", "tiles that draw; 0: all"},
                  {"model",
                   "hardware",
                   "hardware: cycles of the assembly; published: cycles of the published estimator",
                   {"hardware", "published"}},
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t n = p.integer("n", 1, 1 << 24), tiles = tilesOf(p, o.machine);
    const ElementType type = typeOf(p);
    const std::string name = p.choice("distribution");
    const RandomKind kind = name == "uniform"  ? RandomKind::Uniform
                            : name == "normal" ? RandomKind::Normal
                                               : RandomKind::Bernoulli;
    codelets::RandomOptions options;
    options.model = p.choice("model") == "published" ? codelets::RandomModel::Published : codelets::RandomModel::Hardware;
    MeasuredGraph g("prng", std::to_string(n) + " " + name + " numbers on each tile", o.machine);
    const Tensor out = g.perTile(type, {tiles, n}, "numbers");
    ops::RandomNumbers numbers;
    numbers.kind = kind;
    numbers.options = options;
    g.moves(tiles * n * ops::elementBytes(type));
    ops::fillRandom(g.builder(g.main()), out, numbers, uint64_t(o.seed) + 42);
    return g.finish(out, p.integer("io", 0, 1));
  };
  s.variant = {
      "tuned",
      {{"type", "half"}},
      "A draw of 64 bits makes four halves instead of two floats: the same numbers in fewer draws and stores. Cycles fall.",
      "cycles"};
  return s;
}

} // namespace simcore::samples

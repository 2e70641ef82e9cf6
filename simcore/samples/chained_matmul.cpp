#include "simcore/samples/chained_matmul.h"

#include "simcore/ops/conv/convolution.h"
#include "simcore/samples/sample_parts.h"

namespace simcore::samples {

using namespace graph;

Sample chainedMatmul() {
  Sample s;
  s.name = "chained-matmul";
  s.title = "Chained matrix products";
  s.text = "Three matrices [a, b], [b, c] and [c, d] multiplied in a row. Each product has its own plan, so look at the "
           "exchange between them: the second product takes the result of the first from the tiles where the first leaves "
           "it.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "Two products: each receives operands, multiplies, sends partial sums, and adds them."},
              {"tilescope:?view=trace&set.tab=range", "Exchange takes more than half as many cycles as computing."},
              {"tilescope:?view=liveness&set.tab=notAlways",
               "The peak is in the first product: received operands (in) and partial sums are live together."}};
  s.parameters = {{"a", "900", "rows of the first matrix"}, {"b", "600", "its columns"}, {"c", "300", "columns of the second"},
                  {"d", "200", "columns of the third"},     typeParameter("float"),      ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t a = p.integer("a", 1, 1 << 16), b = p.integer("b", 1, 1 << 16), c = p.integer("c", 1, 1 << 16),
                  d = p.integer("d", 1, 1 << 16);
    const ElementType type = typeOf(p);
    MeasuredGraph g("chained-matmul", "Chained matrix products", o.machine);
    std::vector<Tensor> matrices;
    for (const auto& [name, shape] : {std::pair("m1", Shape{a, b}), std::pair("m2", Shape{b, c}), std::pair("m3", Shape{c, d})}) {
      matrices.push_back(g.graph().addVariable(type, shape, name, g.context()));
      g.initialiseUniform(matrices.back(), uint64_t(o.seed) + matrices.size());
    }
    g.graph().mapTensorLinearly(matrices[0]);
    const ops::OpBuilder builder = g.builder(g.main());
    const Tensor first = ops::matmul(builder, matrices[0], matrices[1]);
    return g.finish(ops::matmul(builder, first, matrices[2]), p.integer("io", 0, 1));
  };
  s.variant = {"tuned",
               {{"type", "half"}},
               "Half precision halves the bytes between the products and speeds up each of them. Cycles fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples

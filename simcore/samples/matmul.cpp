#include "simcore/samples/matmul.h"

#include "reports/core/error.h"
#include "reports/core/option.h"
#include "simcore/ops/conv/convolution.h"
#include "simcore/samples/sample_parts.h"
#include "simcore/samples/work.h"

#include <tuple>

namespace simcore::samples {

using namespace graph;
using numerics::HostTensor;

Sample matmulSample() {
  Sample s;
  s.name = "matmul";
  s.title = "Dense matrix product";
  s.text = "C [m, n] = A [m, k] x B [k, n] through the planner. Look at the plan (summary {option plans}) for the cut of "
           "field, output and input channels and for the predicted cycles; then at the trace: exchange of operands, "
           "Convolve, and the reduction if input channels were cut.";
  s.lesson = {{"tilescope:?view=program&set.list=steps",
               "The product has two supersteps: operands are exchanged and multiplied, then partial sums are exchanged and "
               "added."},
              {"tilescope:?view=trace&set.tab=range",
               "Computing takes more than twice the cycles of exchange; the syncs before each exchange are short."},
              {"tilescope:?view=memory&set.tab=largest",
               "The received operands (in) take more than all matrices and partial sums: each tile has its own copy of what it "
               "multiplies."},
              {"tilescope:?view=liveness&set.tab=lifetimes",
               "The received operands are live only from their exchange to the multiplication, which is the peak."}};
  s.parameters = {{"m", "512", "rows of A"},
                  {"k", "512", "columns of A"},
                  {"n", "512", "columns of B"},
                  {"type", "precision", "half, float, or precision: as {option precision} says", {"half", "float", "precision"}},
                  {"partials", "float", "half or float: type of partial sums; half only with half operands", {"half", "float"}},
                  {"streams", "0", "on: A and B come from the host, and C goes to the host", {"0", "1"}},
                  ioParameter()};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t m = p.integer("m", 1, 1 << 20), k = p.integer("k", 1, 1 << 20), n = p.integer("n", 1, 1 << 20);
    const ElementType type = p.text("type") == "precision" ? o.type : typeOf(p);
    ops::ConvOptions options;
    options.partials = typeOf(p, "partials");
    if (options.partials == ElementType::Half && type != ElementType::Half)
      throw reports::Error(reports::ErrorCode::InvalidInput, "partial sums of single-precision products must be single-precision",
                           reports::option("set") + " partials", "use partials=float, or type=half");
    MeasuredGraph g("matmul", "Matrix product " + std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n),
                    o.machine);
    const bool streams = p.integer("streams", 0, 1);
    const Tensor a = g.graph().addVariable(type, {m, k}, "A", g.context()),
                 b = g.graph().addVariable(type, {k, n}, "B", g.context());
    std::map<std::string, std::vector<HostTensor>> inputs;
    for (const auto& [operand, name, seed] : {std::tuple(a, "A", uint64_t(o.seed) + 1), std::tuple(b, "B", uint64_t(o.seed) + 2)})
      if (streams) {
        g.main().add(program::copy(g.graph().addHostToDeviceFifo(name, type, operand.numElements()), operand, name));
        inputs[name] = {HostTensor::deferred(ElementType::Float, operand.shape(), [shape = operand.shape(), seed = seed] {
          return uniformTensor(shape, seed); // drawn when numbers are computed
        })};
      } else {
        g.initialiseUniform(operand, seed);
      }
    g.graph().mapTensorLinearly(a);
    const Tensor c = ops::matmul(g.builder(g.main()), a, b, {}, options);
    tellWork(g.graph(), g.context(), 2 * m * k * n);
    if (streams) g.main().add(program::copy(c, g.graph().addDeviceToHostFifo("C", type, m * n), "C"));
    Workload load = g.finish(c, !streams && p.integer("io", 0, 1));
    load.inputs = std::move(inputs);
    if (streams) load.outputs = {"C"};
    return load;
  };
  s.variant = {"tuned",
               {{"type", "half"}},
               "Half precision feeds the matrix unit four times as fast and halves the bytes exchanged and stored; sums "
               "stay in single precision. Cycles and memory fall.",
               "cycles"};
  return s;
}

} // namespace simcore::samples

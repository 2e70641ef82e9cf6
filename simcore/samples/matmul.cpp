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
  s.parameters = {{"m", "512", "rows of A"},
                  {"k", "512", "columns of A"},
                  {"n", "512", "columns of B"},
                  {"type", "precision", "half, float, or precision: as {option precision} says", {"half", "float", "precision"}},
                  {"partials", "float", "half or float: type of partial sums; half only with half operands", {"half", "float"}}};
  s.build = [](const Parameters& p, const BuildOptions& o) {
    const int64_t m = p.integer("m", 1, 1 << 20), k = p.integer("k", 1, 1 << 20), n = p.integer("n", 1, 1 << 20);
    const ElementType type = p.text("type") == "precision" ? o.type : typeOf(p);
    ops::ConvOptions options;
    options.partials = typeOf(p, "partials");
    if (options.partials == ElementType::Half && type != ElementType::Half)
      throw reports::Error(reports::ErrorCode::InvalidInput, "sums of single-precision products are single-precision",
                           reports::option("set") + " partials", "use partials=float, or type=half");
    auto g = std::make_shared<Graph>(o.machine);
    const auto root = g->addContext({}, "matmul", "model", "MatMul");
    const Tensor a = g->addVariable(type, {m, k}, "A", root), b = g->addVariable(type, {k, n}, "B", root);
    Sequence body;
    const ops::OpBuilder builder(*g, body, root);
    g->mapTensorLinearly(a);
    const Tensor c = ops::matmul(builder, a, b, {}, options);
    tellWork(*g, root, 2 * m * k * n);
    const StreamId inA = g->addHostToDeviceFifo("A", type, m * k), inB = g->addHostToDeviceFifo("B", type, k * n),
                   out = g->addDeviceToHostFifo("C", type, m * n);
    Sequence main;
    main.add(program::copy(inA, a, "A"));
    main.add(program::copy(inB, b, "B"));
    main.add(body);
    main.add(program::copy(c, out, "C"));
    Workload load;
    load.name = "matmul";
    load.title = "Matrix product " + std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n);
    load.graph = g;
    load.programs = {{"main", main.program()}};
    // Drawn when numbers are computed.
    for (const auto& [name, shape, number] : {std::tuple("A", Shape{m, k}, 1), std::tuple("B", Shape{k, n}, 2)})
      load.inputs[name] = {
          HostTensor::deferred(ElementType::Float, shape, [shape = shape, seed = uint64_t(o.seed) + uint64_t(number)] {
            return uniformTensor(shape, seed);
          })};
    load.outputs = {"C"};
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

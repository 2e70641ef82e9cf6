// If and Loop whose outcome is known only while running: the bodies become programs for their time, and the node as a whole
// gives the numbers.
#include "simcore/model/evaluate.h"
#include "simcore/model/lowering_scope.h"
#include "simcore/model/node_lowering.h"

namespace simcore::model {

using graph::Tensor;

namespace {

// Values of the graph around, which the kernel of the node needs.
void readCaptured(NodeLowering& n) {
  for (const std::string& name : namesReadBy(n.node()))
    if (!n.scope().constant(name)) n.named(name);
}

std::vector<Tensor> giveOutputs(NodeLowering& n) {
  std::vector<Tensor> given(n.node().outputs.size());
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i) {
    if (n.node().outputs[i].empty()) continue;
    const Tensor out = n.time().graph().addVariable(n.outputType(i), n.outputShape(i), n.node().outputs[i], n.time().context());
    n.time().mapLinearly(out);
    n.give(out, i);
    given[i] = out;
  }
  return given;
}

// With `results`, the body's outputs end there and its own nodes compute them.
graph::Sequence bodyOf(NodeLowering& n, const Graph& body, const std::vector<Tensor>& inputs,
                       const std::vector<Tensor>& results) {
  graph::Sequence program(body.name, n.time().context());
  LoweringScope inner(body, &n.scope(), n.time().graph(), n.time().context(), n.scope().options());
  for (std::size_t i = 0; i < body.inputs.size() && i < inputs.size(); ++i) {
    inner.set(body.inputs[i].name, inputs[i]);
    inner.protect(body.inputs[i].name);
  }
  inner.setIpu(n.time().ipu());
  inner.lowerNodes(program, !results.empty());
  if (results.empty()) return program;
  const ops::OpBuilder builder = n.parts().into(program);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].valid())
      builder.compute({inner.tensorOn(body.outputs[i].name, builder)}, {results[i]},
                      ops::oneResult([](const std::vector<numerics::HostTensor>& in) { return in[0]; }));
  return program;
}

void lowerIf(NodeLowering& n) {
  readCaptured(n);
  const Attributes& a = n.call().attributes();
  // Vertex by vertex the branch that is taken computes the node.
  const std::vector<Tensor> outputs = giveOutputs(n), results = n.byVertices() ? outputs : std::vector<Tensor>{};
  const graph::Sequence yes = bodyOf(n, a.graph("then_branch"), {}, results), no = bodyOf(n, a.graph("else_branch"), {}, results);
  n.time().program().add(graph::program::ifElse(n.input(0).flatten().reshape({}), yes, no, n.node().name, n.time().context()));
}

void lowerLoop(NodeLowering& n) {
  readCaptured(n);
  const Graph& body = n.call().attributes().graph("body");
  std::vector<Tensor> inputs;
  const auto& g = body.inputs;
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (i >= 2) {
      inputs.push_back(n.input(i));
      continue;
    }
    // The iteration number and the condition live in variables of the loop.
    const auto type = i == 0 ? numerics::ElementType::Int64 : numerics::ElementType::Bool;
    inputs.push_back(n.time().graph().addVariable(type, {}, i == 0 ? "iteration" : "condition", n.time().context()));
    n.time().mapLinearly(inputs.back());
  }
  const std::int64_t trips = n.call().isKnown(0) ? n.call().value(0).integerAt(0) : 1;
  n.time().program().add(
      graph::program::repeat(std::max<std::int64_t>(0, trips), bodyOf(n, body, inputs, {}), n.node().name, n.time().context()));
  giveOutputs(n);
}

constexpr LoweringEntry kControlLowerings[] = {{"If", lowerIf}, {"Loop", lowerLoop}};

} // namespace

std::span<const LoweringEntry> controlLowerings() { return kControlLowerings; }

} // namespace simcore::model

// The plans of If, Loop and Scan: subgraphs become separate programs, which also compute the numbers. If data decide at run time,
// the time depends on the branch or iteration count that they select.
#include "simcore/model/operators/family.h"
#include "simcore/ops/elementwise/fill.h"
#include "simcore/ops/loop.h"
#include "simcore/ops/slice/slices.h"

#include <algorithm>

namespace simcore::model {

namespace {

// Copies the outer graph's values on other IPUs to this IPU once, not in a branch that may not run.
void bringCaptured(NodeLowering& n) {
  for (const std::string& name : namesReadBy(n.node()))
    if (!n.scope().constant(name)) n.named(name);
}

// One subgraph that is lowered into a program.
class Body {
public:
  Body(NodeLowering& n, const Graph& graph, const ops::OpBuilder& into)
      : m_graph(graph), m_in(into), m_scope(graph, &n.scope(), into.graph(), n.timeBuilder().context(), n.scope().options()) {
    m_scope.setIpu(into.ipu());
  }

  void setInput(std::size_t i, const Tensor& tensor) {
    m_scope.set(m_graph.inputs.at(i).name, tensor);
    m_scope.uses().protect(m_graph.inputs[i].name); // the next iteration or an outer node reads it, too
  }
  void lower() { m_scope.lowerNodes(m_graph.nodes, m_in.program(), m_in.withNumbers()); }
  Tensor output(std::size_t i) { return m_scope.tensorOn(m_graph.outputs.at(i).name, m_in); }
  const LoweringScope& scope() const { return m_scope; }

private:
  const Graph& m_graph;
  ops::OpBuilder m_in;
  LoweringScope m_scope;
};

// A variable with the type and mapping of `tensor`.
Tensor twinOf(const ops::OpBuilder& b, const Tensor& tensor, const std::string& name) {
  return b.output(tensor.elementType(), tensor.shape(), name, b.layoutOf(tensor));
}
void copyTo(const ops::OpBuilder& b, const Tensor& from, const Tensor& to, const std::string& name) {
  b.layoutOf(from); // maps a constant that no node reads
  b.program().add(graph::program::copy(from, to, name, b.context()));
}

// The shape of a value returned by a subgraph, which may belong to the outer graph.
const Shape& shapeIn(const NodeLowering& n, const Graph& body, const std::string& name) {
  const auto found = body.types.find(name);
  if (found != body.types.end()) return found->second.shape;
  const auto constant = body.initialisers.find(name);
  return constant != body.initialisers.end() ? constant->second.shape() : n.scope().type(name).shape;
}

// Whether a branch has the planned shapes. Data-dependent shapes come from an evaluation, which did not take a branch with other shapes.
bool givesWhatWasPlanned(const NodeLowering& n, const Graph& body) {
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i)
    if (!n.node().outputs[i].empty() && shapeIn(n, body, body.outputs.at(i).name) != n.outputShape(i)) return false;
  return true;
}

} // namespace

void lowerIf(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  if (!givesWhatWasPlanned(n, a.graph("then_branch")) && !givesWhatWasPlanned(n, a.graph("else_branch"))) return lowerGeneric(n);
  bringCaptured(n);
  const ops::OpBuilder& b = n.positionBuilder();
  std::vector<Tensor> results(n.node().outputs.size());
  const auto branch = [&](const char* attribute) {
    const Graph& body = a.graph(attribute);
    graph::Sequence program(body.name, b.context());
    if (!givesWhatWasPlanned(n, body)) {
      program.add(graph::program::errorProgram(n.node().label() + " takes the branch whose shapes differ from the plan"));
      return program;
    }
    const ops::OpBuilder in = b.into(program);
    Body lowered(n, body, in);
    lowered.lower();
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (n.node().outputs[i].empty()) continue;
      const Tensor value = lowered.output(i);
      // The second branch writes to the tensors of the first.
      if (!results[i].valid()) results[i] = twinOf(b, value, n.node().outputs[i]);
      copyTo(in, value, results[i], "result");
    }
    return program;
  };
  const graph::Sequence yes = branch("then_branch"), no = branch("else_branch");
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].valid()) n.give(results[i], i);
  b.program().add(graph::program::ifElse(n.input(0).flatten().reshape({}), yes, no, n.node().name, b.context()));
}

namespace {

// A value that one iteration passes to the next: a variable, and the output of the body that becomes its value.
struct Carried {
  std::size_t output;
  Tensor variable;
};

// Copies all carried values at once, because a body may return its inputs in another order.
void handOn(const ops::OpBuilder& in, Body& body, const std::vector<Carried>& carried) {
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const Carried& c : carried) {
    Tensor value = body.output(c.output);
    const auto touched = value.variables();
    const auto isTouched = [&](const Carried& other) {
      return std::find(touched.begin(), touched.end(), other.variable.wholeVariable()) != touched.end();
    };
    if (value.wholeVariable().valid() && value.wholeVariable() == c.variable.wholeVariable()) continue; // unchanged
    if (std::any_of(carried.begin(), carried.end(), isTouched)) {
      const Tensor kept = twinOf(in, c.variable, "next");
      copyTo(in, value, kept, "keep");
      value = kept;
    }
    copies.emplace_back(value, c.variable);
  }
  for (const auto& [from, to] : copies) copyTo(in, from, to, "carry");
}

// [iterations, …], filled row by row.
struct Collected {
  std::size_t output;
  Tensor rows; // [iterations, elements of a row]
};
Tensor rowsFor(const NodeLowering& n, const ops::OpBuilder& b, std::size_t output) {
  const Shape& shape = n.outputShape(output);
  return ops::sliceableVariable(b, n.outputType(output), shape[0], numerics::elementCount(shape) / shape[0],
                                n.node().outputs[output]);
}
void collect(const ops::OpBuilder& in, Body& body, const std::vector<Collected>& collected, const Tensor& round) {
  for (const Collected& c : collected) ops::dynamicUpdate(in, c.rows, body.output(c.output).flatten(), round);
}

Tensor one(const ops::OpBuilder& b, ElementType type, const std::string& name) {
  return b.output(type, {1}, name, b.linear(1, type));
}

// Whether every iteration continues: the body returns its own condition unchanged, or a constant that is true.
bool goesOn(const Graph& body, const LoweringScope& scope) {
  std::string name = body.outputs.at(0).name;
  for (;;) {
    if (name == body.inputs.at(1).name) return true;
    if (const HostTensor* value = scope.constant(name)) return value->integerAt(0) != 0;
    const auto maker = std::find_if(body.nodes.begin(), body.nodes.end(), [&](const Node& node) {
      return std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end();
    });
    if (maker == body.nodes.end() || maker->opType != "Identity") return false;
    name = maker->inputs.at(0);
  }
}

// Lowers a Loop; its variables are the number of finished iterations and whether it continues.
class LoopLowering {
public:
  explicit LoopLowering(NodeLowering& n)
      : m_n(n), m_b(n.positionBuilder()), m_round(one(m_b, ElementType::Int64, "iteration")),
        m_goesOn(one(m_b, ElementType::Bool, "condition")) {}

  void lower() {
    const Graph& graph = m_n.call().attributes().graph("body");
    graph::Sequence program(graph.name, m_b.context());
    const ops::OpBuilder in = m_b.into(program);
    Body body(m_n, graph, in);
    start(body, graph);
    body.lower();
    const bool isCounted = m_n.call().isKnown(0) && (!m_n.has(1) || m_n.call().isKnown(1)) && goesOn(graph, body.scope());
    collect(in, body, m_collected, m_round);
    if (!isCounted) copyTo(in, body.output(0).flatten(), m_goesOn, "condition");
    handOn(in, body, m_carried);
    if (!isCounted || !m_collected.empty() || reads(graph, graph.inputs[0].name)) countUp(in);
    if (isCounted)
      repeat(program);
    else
      repeatWhileItGoesOn(program);
    giveResults();
  }

private:
  void start(Body& body, const Graph& graph) {
    const std::size_t carried = m_n.call().inputCount() < 2 ? 0 : m_n.call().inputCount() - 2;
    ops::fill(m_b, m_round, 0);
    if (m_n.has(1) && !m_n.call().isKnown(1))
      copyTo(m_b, m_n.input(1).flatten(), m_goesOn, "condition");
    else
      ops::fill(m_b, m_goesOn, m_n.has(1) ? double(m_n.call().value(1).integerAt(0) != 0) : 1);
    body.setInput(0, m_round.reshape({}));
    body.setInput(1, m_goesOn.reshape({}));
    for (std::size_t i = 0; i < carried; ++i) {
      const Tensor first = m_n.input(i + 2);
      m_carried.push_back({i + 1, twinOf(m_b, first, graph.inputs[i + 2].name)});
      copyTo(m_b, first, m_carried.back().variable, "first");
      body.setInput(i + 2, m_carried.back().variable);
    }
    for (std::size_t i = carried; i < m_n.node().outputs.size(); ++i)
      if (m_n.call().wantsOutput(i)) m_collected.push_back({i + 1, rowsFor(m_n, m_b, i)});
  }

  static bool reads(const Graph& graph, const std::string& name) {
    const auto isRead = [&](const Node& node) {
      const auto names = namesReadBy(node);
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), isRead) ||
           std::any_of(graph.outputs.begin(), graph.outputs.end(), [&](const auto& output) { return output.name == name; });
  }

  void countUp(const ops::OpBuilder& in) {
    ops::HostKernel next;
    if (in.withNumbers()) next = ops::oneResult([](const Tensors& v) { return numerics::binary(BinaryKind::Add, v[0], v[1]); });
    ops::mapInPlace(in, "next", {{codelets::BinaryOp::Add, ElementType::Int64}}, {m_round}, std::move(next),
                    {HostTensor::full(ElementType::Int64, {1}, 1)});
  }

  void repeat(const graph::Sequence& program) {
    const bool any = !m_n.has(1) || m_n.call().value(1).integerAt(0) != 0;
    const std::int64_t trips = any ? std::max<std::int64_t>(0, m_n.call().value(0).integerAt(0)) : 0;
    m_b.program().add(graph::program::repeat(trips, program, m_n.node().name, m_b.context()));
  }

  void repeatWhileItGoesOn(const graph::Sequence& program) {
    graph::Sequence test("test", m_b.context());
    const ops::OpBuilder at = m_b.into(test);
    Tensor wanted = m_goesOn;
    if (m_n.has(0)) {
      m_n.input(0); // a constant gets its variable before the loop
      wanted = ops::binary(at, codelets::BinaryOp::LogicalAnd, m_goesOn, left(at));
    }
    m_b.program().add(graph::program::repeatWhileTrue(test, wanted.reshape({}), program, m_n.node().name, m_b.context()));
    if (!m_collected.empty())
      m_b.program().add(graph::program::abortOnCondition(
          left(m_b).reshape({}), m_n.node().label() + " ended before its trip count: its outputs have fewer rows than planned"));
  }
  // Whether the trip count allows further iterations.
  Tensor left(const ops::OpBuilder& at) { return ops::binary(at, codelets::BinaryOp::Less, m_round, m_n.input(0).flatten()); }

  void giveResults() {
    for (const Carried& c : m_carried)
      if (m_n.call().wantsOutput(c.output - 1)) m_n.give(c.variable, c.output - 1);
    for (const Collected& c : m_collected) m_n.give(c.rows, c.output - 1);
  }

  NodeLowering& m_n;
  const ops::OpBuilder& m_b;
  Tensor m_round, m_goesOn;
  std::vector<Carried> m_carried;
  std::vector<Collected> m_collected;
};

// False if a value grows from iteration to iteration, so its observed shape holds only for the last iteration.
bool keepsItsShapes(const NodeLowering& n, const Graph& body) {
  for (std::size_t i = 2; i < n.call().inputCount(); ++i) {
    const Shape& before = n.scope().type(n.node().inputs[i]).shape;
    if (shapeIn(n, body, body.inputs.at(i).name) != before || shapeIn(n, body, body.outputs.at(i - 1).name) != before)
      return false;
  }
  return true;
}

} // namespace

void lowerLoop(NodeLowering& n) {
  if (!keepsItsShapes(n, n.call().attributes().graph("body"))) return lowerGeneric(n);
  bringCaptured(n);
  LoopLowering(n).lower();
}

// Lowers a Scan over axis 0, forwards (see expandScan()), to a counted loop that reads and writes one row per iteration.
void lowerScan(NodeLowering& n) {
  bringCaptured(n);
  const Graph& graph = n.call().attributes().graph("body");
  const ops::OpBuilder& b = n.positionBuilder();
  const std::size_t inputs = n.call().inputCount(),
                    states = inputs - std::size_t(n.call().attributes().requiredInteger("num_scan_inputs"));
  std::vector<Carried> carried;
  std::vector<Tensor> read;
  std::vector<Collected> collected;
  for (std::size_t i = 0; i < inputs; ++i) {
    const Tensor x = n.input(i);
    if (i < states) {
      carried.push_back({i, twinOf(b, x, graph.inputs[i].name)});
      copyTo(b, x, carried.back().variable, "first");
    } else {
      read.push_back(ops::sliceable(b, x.reshape({x.dim(0), x.numElements() / x.dim(0)})));
    }
  }
  for (std::size_t i = states; i < n.node().outputs.size(); ++i)
    if (n.call().wantsOutput(i)) collected.push_back({i, rowsFor(n, b, i)});
  ops::countedLoop(b, 0, n.input(states).dim(0), 1, [&](const ops::OpBuilder& in, const Tensor& round) {
    Body body(n, graph, in);
    for (std::size_t i = 0; i < states; ++i) body.setInput(i, carried[i].variable);
    for (std::size_t i = states; i < inputs; ++i) {
      const Shape whole = n.input(i).shape();
      body.setInput(i, ops::dynamicSlice(in, read[i - states], round).reshape(Shape(whole.begin() + 1, whole.end())));
    }
    body.lower();
    collect(in, body, collected, round);
    handOn(in, body, carried);
  });
  for (const Carried& c : carried)
    if (n.call().wantsOutput(c.output)) n.give(c.variable, c.output);
  for (const Collected& c : collected) n.give(c.rows, c.output);
}

} // namespace simcore::model

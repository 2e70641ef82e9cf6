// Gradients of nodes with subgraphs, written out: both branches of If and a choice between them, every iteration of a loop
// whose count is known.
#include "simcore/model/evaluate.h"
#include "simcore/model/operators/reversed_node.h"
#include "simcore/model/training/gradient.h"

#include <algorithm>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;

namespace {

// Iterations that are written out at most: the backward pass has nodes for each.
constexpr std::int64_t kMostIterations = 4096;

using NewNames = std::unordered_map<std::string, std::string>;

class Inliner {
public:
  explicit Inliner(const GradientCall& call) : m_call(call), m_g(call.graph()) {}

  // Appends the nodes of a subgraph for these inputs; what depends on constants alone is computed at once.
  std::vector<std::string> operator()(const Graph& body, const std::vector<std::string>& inputs) {
    NewNames names;
    for (std::size_t i = 0; i < body.inputs.size(); ++i) names[body.inputs[i].name] = inputs.at(i);
    for (const auto& [name, value] : body.initialisers) names[name] = m_g.constant(name, value);
    for (const Node& node : body.nodes) append(node, names);
    std::vector<std::string> outputs;
    for (const auto& output : body.outputs) outputs.push_back(renamed(output.name, names));
    return outputs;
  }

  bool isConstant(const std::string& name) const { return m_g.graph().initialisers.count(name) != 0; }

private:
  static std::string renamed(const std::string& name, const NewNames& names) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  }

  void append(Node node, NewNames& names) {
    for (const auto& [key, value] : node.attributes.all())
      if (std::holds_alternative<std::shared_ptr<const Graph>>(value)) m_call.fail("subgraphs within its subgraph");
    const std::vector<std::string> outputs = node.outputs;
    bool known = !operatorFor(node).isRandom;
    std::unordered_map<std::string, HostTensor> values;
    for (std::string& input : node.inputs) {
      input = renamed(input, names);
      if (input.empty()) continue;
      const auto value = m_g.graph().initialisers.find(input);
      known = known && value != m_g.graph().initialisers.end();
      if (known) values[input] = value->second;
    }
    if (!known) {
      const auto made = m_g.append(std::move(node));
      for (std::size_t i = 0; i < outputs.size(); ++i) names[outputs[i]] = made[i];
      return;
    }
    const Tensors results = evaluateNode(node, values);
    for (std::size_t i = 0, at = 0; i < outputs.size(); ++i)
      if (!outputs[i].empty()) names[outputs[i]] = m_g.constant(outputs[i], results.at(at++));
  }

  const GradientCall& m_call;
  GraphBuilder& m_g;
};

void ifBack(const GradientCall& c) {
  c.through([&] {
    Inliner inlined(c);
    const Attributes& a = c.call().attributes();
    const auto yes = inlined(a.graph("then_branch"), {}), no = inlined(a.graph("else_branch"), {});
    std::vector<std::string> results;
    for (std::size_t i = 0; i < yes.size(); ++i) {
      const bool flows = !c.gradient(i).empty();
      results.push_back(flows ? c.graph().add("Where", {c.input(0), yes[i], no[i]}) : "");
    }
    return results;
  });
}

// A value as a slice of one along a new first dimension.
std::string asRow(GraphBuilder& g, const std::string& x) {
  Shape shape = g.shape(x);
  shape.insert(shape.begin(), 1);
  return g.reshape(x, shape);
}
std::string stackedRows(GraphBuilder& g, const std::vector<std::string>& rows) {
  return rows.size() == 1 ? rows[0] : g.add("Concat", rows, attributes({{"axis", std::int64_t(0)}}));
}

class LoopUnroller {
public:
  explicit LoopUnroller(const GradientCall& call) : m_c(call), m_g(call.graph()), m_inlined(call) {}

  std::vector<std::string> build() {
    const Graph& body = m_c.call().attributes().graph("body");
    if (!m_c.call().isKnown(0)) m_c.fail("its number of iterations is not known before the run");
    const std::int64_t trips = m_c.call().value(0).integerAt(0);
    if (trips > kMostIterations) m_c.fail("it has more than " + std::to_string(kMostIterations) + " iterations");
    std::vector<std::string> carried(m_c.node().inputs.begin() + 2, m_c.node().inputs.end());
    std::vector<std::vector<std::string>> scanned(body.outputs.size() - 1 - carried.size());
    std::string goesOn = m_c.call().has(1) ? m_c.input(1) : m_g.constant("goesOn", HostTensor::scalar(true));
    for (std::int64_t trip = 0; trip < trips; ++trip) {
      if (isFalse(goesOn)) break;
      std::vector<std::string> inputs{m_g.constant("iteration", HostTensor::scalar(trip)), goesOn};
      inputs.insert(inputs.end(), carried.begin(), carried.end());
      const auto outputs = m_inlined(body, inputs);
      const bool always = m_inlined.isConstant(goesOn);
      if (!always && !scanned.empty()) m_c.fail("it collects values and its end is not known before the run");
      for (std::size_t i = 0; i < carried.size(); ++i)
        carried[i] = always ? outputs[i + 1] : m_g.add("Where", {goesOn, outputs[i + 1], carried[i]});
      for (std::size_t i = 0; i < scanned.size(); ++i) scanned[i].push_back(asRow(m_g, outputs[1 + carried.size() + i]));
      goesOn = always ? outputs[0] : m_g.add("And", {goesOn, outputs[0]});
    }
    for (const auto& rows : scanned) carried.push_back(rows.empty() ? "" : stackedRows(m_g, rows));
    return carried;
  }

private:
  bool isFalse(const std::string& name) const {
    const auto value = m_g.graph().initialisers.find(name);
    return value != m_g.graph().initialisers.end() && value->second.integerAt(0) == 0;
  }

  const GradientCall& m_c;
  GraphBuilder& m_g;
  Inliner m_inlined;
};

void loopBack(const GradientCall& c) {
  c.through([&] { return LoopUnroller(c).build(); });
}

// Over axis 0, forwards, as the operator is supported.
void scanBack(const GradientCall& c) {
  const auto scans = std::size_t(c.call().attributes().requiredInteger("num_scan_inputs"));
  const std::size_t states = c.node().inputs.size() - scans;
  const std::int64_t length = c.call().shape(states).at(0);
  if (length > kMostIterations) c.fail("it has more than " + std::to_string(kMostIterations) + " iterations");
  c.through([&] {
    Inliner inlined(c);
    GraphBuilder& g = c.graph();
    const Graph& body = c.call().attributes().graph("body");
    std::vector<std::string> carried(c.node().inputs.begin(), c.node().inputs.begin() + std::ptrdiff_t(states));
    std::vector<std::vector<std::string>> scanned(body.outputs.size() - states);
    for (std::int64_t t = 0; t < length; ++t) {
      std::vector<std::string> inputs = carried;
      for (std::size_t i = states; i < c.node().inputs.size(); ++i) {
        const Shape& shape = c.call().shape(i);
        inputs.push_back(g.reshape(g.add("Slice", {c.input(i), g.integers({t}), g.integers({t + 1}), g.integers({0})}),
                                   Shape(shape.begin() + 1, shape.end())));
      }
      const auto outputs = inlined(body, inputs);
      carried.assign(outputs.begin(), outputs.begin() + std::ptrdiff_t(states));
      for (std::size_t i = 0; i < scanned.size(); ++i) scanned[i].push_back(asRow(g, outputs[states + i]));
    }
    for (const auto& rows : scanned) carried.push_back(rows.empty() ? "" : stackedRows(g, rows));
    return carried;
  });
}

// The taps of the forward pass the other way round.
void resizeBack(const GradientCall& c) { giveReversed(c, "ResizeGrad"); }

constexpr GradientEntry kControlGradients[] = {
    {"If", ifBack}, {"Loop", loopBack}, {"Scan", scanBack}, {"Resize", resizeBack}, {"Upsample", resizeBack},
};

} // namespace

std::span<const GradientEntry> controlGradients() { return kControlGradients; }

} // namespace simcore::model

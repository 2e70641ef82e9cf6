// Control flow: If, Loop and Scan. Gradients are unrolled: both branches of If and a choice, every iteration of a loop with a known count.
#include "reports/core/text.h"
#include "simcore/model/graph/expansion.h"
#include "simcore/model/operators/family.h"
#include "simcore/numerics/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace simcore::model {

// Their plans are in control_plan.cpp.
void lowerIf(NodeLowering& n);
void lowerLoop(NodeLowering& n);
void lowerScan(NodeLowering& n);

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// Models loop over the steps of a sequence or the boxes of an image. An iteration takes microseconds, so this many take seconds.
constexpr std::int64_t kMaximumTrips = 1'000'000;

// If the condition is known, only the taken branch is checked; otherwise both branches must agree.
Types inferIf(const Call& call) {
  const Attributes& a = call.attributes();
  for (const char* branch : {"then_branch", "else_branch"})
    if (const std::size_t given = a.graph(branch).outputs.size(); given != call.node().outputs.size())
      refuseNode(fmt::format("the {} of If gives {}, the node {}", branch, reports::counted(int64_t(given), "value"),
                             call.node().outputs.size()));
  if (call.isKnown(0)) return call.subgraphTypes()(a.graph(call.value(0).integerAt(0) ? "then_branch" : "else_branch"), {});
  const Types yes = call.subgraphTypes()(a.graph("then_branch"), {}), no = call.subgraphTypes()(a.graph("else_branch"), {});
  if (yes != no)
    throw Error(ErrorCode::Unsupported, "the branches of If differ in type or shape; its condition is not known before the run");
  return yes;
}
Tensors runIf(const Call& call) {
  if (call.value(0).count() != 1) refuseNode("the condition of If must be one element");
  return call.subgraph()(call.attributes().graph(call.value(0).integerAt(0) ? "then_branch" : "else_branch"), {});
}

struct LoopShape {
  std::size_t carried = 0, scanned = 0;
};
LoopShape loopShape(const Call& call, const Graph& body) {
  const std::size_t carried = call.inputCount() < 2 ? 0 : call.inputCount() - 2;
  if (body.inputs.size() != carried + 2 || body.outputs.size() < carried + 1)
    refuseNode(fmt::format("the body of Loop has {} inputs and {} outputs, its node needs {} inputs and at least {} outputs",
                           body.inputs.size(), body.outputs.size(), carried + 2, carried + 1));
  return {carried, body.outputs.size() - carried - 1};
}

Types inferLoop(const Call& call) {
  const Graph& body = call.attributes().graph("body");
  const LoopShape shape = loopShape(call, body);
  Types inputs{{ElementType::Int64, {}}, {ElementType::Bool, {}}};
  for (std::size_t i = 0; i < shape.carried; ++i) inputs.push_back(call.type(i + 2));
  const Types outputs = call.subgraphTypes()(body, inputs);
  Types types;
  for (std::size_t i = 0; i < shape.carried; ++i) {
    if (outputs[i + 1] != inputs[i + 2]) throw Error(ErrorCode::Unsupported, "a value that Loop carries changes type or shape");
    types.push_back(outputs[i + 1]);
  }
  for (std::size_t i = 0; i < shape.scanned; ++i) {
    types.push_back(outputs[1 + shape.carried + i]);
    types.back().shape.insert(types.back().shape.begin(), call.value(0).integerAt(0));
  }
  return types;
}

HostTensor stacked(const Tensors& parts) {
  if (parts.empty()) return HostTensor(ElementType::Float, {0});
  Tensors rows;
  for (const HostTensor& part : parts) {
    Shape shape = part.shape();
    shape.insert(shape.begin(), 1);
    rows.push_back(part.reshaped(shape));
  }
  return numerics::concat(rows, 0);
}

Tensors runLoop(const Call& call) {
  const Graph& body = call.attributes().graph("body");
  const LoopShape shape = loopShape(call, body);
  const std::int64_t trips = call.has(0) ? call.value(0).integerAt(0) : std::numeric_limits<std::int64_t>::max();
  bool goOn = !call.has(1) || call.value(1).integerAt(0) != 0;
  Tensors carried;
  for (std::size_t i = 0; i < shape.carried; ++i) carried.push_back(call.value(i + 2));
  std::vector<Tensors> scanned(shape.scanned);
  for (std::int64_t trip = 0; goOn && trip < trips; ++trip) {
    if (trip == kMaximumTrips)
      throw Error(ErrorCode::InvalidInput, "Loop has not ended after " + std::to_string(kMaximumTrips) + " iterations", {},
                  "give it a trip count, or a condition that becomes false");
    Tensors inputs{HostTensor::scalar(trip), HostTensor::scalar(goOn)};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    Tensors outputs = call.subgraph()(body, inputs);
    goOn = outputs[0].integerAt(0) != 0;
    for (std::size_t i = 0; i < shape.carried; ++i) carried[i] = outputs[i + 1];
    for (std::size_t i = 0; i < shape.scanned; ++i) scanned[i].push_back(outputs[1 + shape.carried + i]);
  }
  for (const Tensors& parts : scanned) carried.push_back(stacked(parts));
  return carried;
}

// A Scan over axis 0 of every scanned input, forwards (opset 9 and later). expandScan() converts all other forms to this one.
struct ScanShape {
  std::size_t states = 0, scanned = 0;
  std::int64_t length = 0;
};
void requireStates(std::size_t outputs, std::size_t states) {
  if (outputs < states) refuseNode(fmt::format("the body of Scan has {} outputs for {} state variables", outputs, states));
}
ScanShape scanShape(const Call& call) {
  if (call.opset() < 9)
    throw Error(ErrorCode::Unsupported, "operator Scan (opset " + std::to_string(call.opset()) + ") is not supported");
  const auto scanned = std::size_t(call.attributes().requiredInteger("num_scan_inputs"));
  if (scanned < 1 || scanned > call.inputCount())
    refuseNode(fmt::format("num_scan_inputs of Scan is {}, not 1 to its {} inputs", std::int64_t(scanned), call.inputCount()));
  const ScanShape shape{call.inputCount() - scanned, scanned, call.shape(call.inputCount() - scanned).at(0)};
  requireStates(call.attributes().graph("body").outputs.size(), shape.states);
  return shape;
}
Types inferScan(const Call& call) {
  const ScanShape shape = scanShape(call);
  Types inputs;
  for (std::size_t i = 0; i < call.inputCount(); ++i) {
    inputs.push_back(call.type(i));
    if (i >= shape.states) inputs.back().shape.erase(inputs.back().shape.begin());
  }
  Types outputs = call.subgraphTypes()(call.attributes().graph("body"), inputs);
  for (std::size_t i = shape.states; i < outputs.size(); ++i) outputs[i].shape.insert(outputs[i].shape.begin(), shape.length);
  return outputs;
}
Tensors runScan(const Call& call) {
  const ScanShape shape = scanShape(call);
  const Graph& body = call.attributes().graph("body");
  Tensors states;
  for (std::size_t i = 0; i < shape.states; ++i) states.push_back(call.value(i));
  std::vector<Tensors> scanned(body.outputs.size() - shape.states);
  for (std::int64_t trip = 0; trip < shape.length; ++trip) {
    Tensors inputs = states;
    for (std::size_t i = shape.states; i < call.inputCount(); ++i) {
      const HostTensor part = numerics::slice(call.value(i), 0, trip, 1);
      inputs.push_back(part.reshaped(Shape(part.shape().begin() + 1, part.shape().end())));
    }
    const Tensors outputs = call.subgraph()(body, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (i < shape.states)
        states[i] = outputs[i];
      else
        scanned[i - shape.states].push_back(outputs[i]);
  }
  for (const Tensors& parts : scanned) states.push_back(stacked(parts));
  return states;
}

// ---- other axes and directions of Scan --------------------------------------------------------------------------------------

constexpr std::array<const char*, 4> kOfScanned{"scan_input_axes", "scan_input_directions", "scan_output_axes",
                                                "scan_output_directions"};

// Rewrites a Scan as one over the first axis of values that are transposed and reversed.
class ScanWriter {
public:
  explicit ScanWriter(const Call& call)
      : m_call(call), m_before(call.node(), prefix("in"), std::max(call.opset(), 13)),
        m_after(call.node(), prefix("out"), std::max(call.opset(), 13)), m_shape(scanShape(call)) {}

  std::vector<Node> write() {
    Node scan = m_call.node();
    for (const char* name : kOfScanned) scan.attributes.all().erase(name);
    const Types given = m_call.subgraphTypes()(m_call.attributes().graph("body"), movedInputs(scan));
    requireStates(given.size(), m_shape.states);
    moveOutputs(scan, given);
    std::vector<Node> nodes = m_before.take();
    nodes.push_back(std::move(scan));
    for (Node& node : m_after.take()) nodes.push_back(std::move(node));
    return nodes;
  }

private:
  std::string prefix(const char* what) const { return m_call.node().outputs.at(0) + "/" + what; }

  // One number per scanned value; zeros without the attribute.
  std::vector<std::int64_t> numbers(const char* name, std::size_t count) const {
    std::vector<std::int64_t> values = m_call.attributes().integers(name);
    if (values.empty()) values.assign(count, 0);
    if (values.size() != count)
      refuseNode(fmt::format("attribute '{}' of Scan has {} values, not {}", name, values.size(), count));
    return values;
  }

  // Returns the types that the body reads.
  Types movedInputs(Node& scan) {
    const auto axes = numbers(kOfScanned[0], m_shape.scanned), directions = numbers(kOfScanned[1], m_shape.scanned);
    Types types;
    for (std::size_t i = 0; i < m_call.inputCount(); ++i) {
      types.push_back(m_call.type(i));
      if (i < m_shape.states) continue;
      Shape& shape = types.back().shape;
      const std::size_t axis = numerics::normaliseAxis(axes[i - m_shape.states], shape.size());
      if (axis != 0) {
        std::vector<std::int64_t> order{std::int64_t(axis)};
        for (std::size_t d = 0; d < shape.size(); ++d)
          if (d != axis) order.push_back(std::int64_t(d));
        scan.inputs[i] = m_before.transposed(scan.inputs[i], order);
      }
      if (isBackwards(directions[i - m_shape.states])) scan.inputs[i] = turned(m_before, scan.inputs[i]);
      shape.erase(shape.begin() + std::ptrdiff_t(axis));
    }
    return types;
  }

  void moveOutputs(Node& scan, const Types& given) {
    const auto axes = numbers(kOfScanned[2], given.size() - m_shape.states),
               directions = numbers(kOfScanned[3], given.size() - m_shape.states);
    for (std::size_t i = m_shape.states; i < std::min(scan.outputs.size(), given.size()); ++i) {
      const std::size_t rank = given[i].shape.size() + 1, axis = numerics::normaliseAxis(axes[i - m_shape.states], rank);
      const bool turns = isBackwards(directions[i - m_shape.states]);
      if (scan.outputs[i].empty() || (axis == 0 && !turns)) continue;
      scan.outputs[i] = prefix("rows") + std::to_string(i);
      std::vector<std::int64_t> order; // moves the scanned dimension to position `axis`
      for (std::size_t d = 1; d < rank; ++d) order.push_back(std::int64_t(d));
      order.insert(order.begin() + std::ptrdiff_t(axis), 0);
      const std::string rows = turns ? turned(m_after, scan.outputs[i]) : scan.outputs[i];
      m_after.give(i, "Transpose", {rows});
      m_after.set("perm", order);
    }
  }

  static bool isBackwards(std::int64_t direction) {
    if (direction != 0 && direction != 1) refuseNode("a direction of Scan is " + std::to_string(direction) + ", not 0 or 1");
    return direction == 1;
  }
  // Reverses the rows.
  static std::string turned(NodeWriter& w, const std::string& x) {
    return w.add("Slice", {x, w.integers({-1}), w.integers({INT64_MIN}), w.integers({0}), w.integers({-1})});
  }

  const Call& m_call;
  NodeWriter m_before, m_after;
  ScanShape m_shape;
};

// ---- gradient --------------------------------------------------------------------------------------------------------------

// Most iterations that are unrolled: the backward pass has nodes for each.
constexpr std::int64_t kMostIterations = 4096;

using NewNames = std::unordered_map<std::string, std::string>;

class Inliner {
public:
  explicit Inliner(const GradientCall& call) : m_call(call), m_g(call.graph()) {}

  // Appends the nodes of a subgraph for these inputs; nodes that depend only on constants are computed at once.
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
      if (std::holds_alternative<std::shared_ptr<const Graph>>(value)) m_call.fail("its subgraph contains subgraphs");
    const std::vector<std::string> outputs = node.outputs;
    bool known = !operatorFor(node).has(kRandom);
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

// A value as one slice along a new first dimension.
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

// The gradient of a Scan over axis 0, forwards; expandScan() converts all other forms.
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

constexpr Operator kControlOperators[] = {
    {"If", 6, inferIf, runIf, lowerIf, ifBack},
    {"Loop", 6, inferLoop, runLoop, lowerLoop, loopBack},
    {"Scan", 8, inferScan, runScan, lowerScan, scanBack},
};

} // namespace

std::optional<std::vector<Node>> expandScan(const Call& call) {
  const auto isSaid = [&](const char* name) {
    const auto values = call.attributes().integers(name);
    return std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value != 0; });
  };
  if (call.opset() < 9 || std::none_of(kOfScanned.begin(), kOfScanned.end(), isSaid)) return {};
  return ScanWriter(call).write();
}

std::span<const Operator> controlOperators() { return kControlOperators; }

} // namespace simcore::model

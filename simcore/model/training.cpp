#include "simcore/model/training.h"

#include "simcore/model/autodiff.h"
#include "simcore/model/evaluate.h"

#include <algorithm>

namespace simcore::model {

using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

// Statistics of a norm are constants, not parameters.
bool isStatistic(const Graph& graph, const std::string& name) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return node.opType == "BatchNormalization" && node.inputs.size() >= 5 && (node.inputs[3] == name || node.inputs[4] == name);
  });
}

std::vector<std::string> parametersOf(const Graph& graph, const std::vector<std::string>& given) {
  std::vector<std::string> names = given;
  if (given.empty()) {
    // In the order they are read, so that nothing depends on hashing.
    for (const Node& node : graph.nodes)
      for (const std::string& name : namesReadBy(node)) {
        const auto found = graph.initialisers.find(name);
        if (found == graph.initialisers.end() || !numerics::isFloating(found->second.type()) || found->second.rank() == 0 ||
            isStatistic(graph, name))
          continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
  }
  for (const std::string& name : names) {
    const auto found = graph.initialisers.find(name);
    if (found == graph.initialisers.end() || !numerics::isFloating(found->second.type()))
      throw Error(ErrorCode::InvalidInput, "'" + name + "' is no floating constant of the model and cannot be trained");
  }
  return names;
}

class TrainingMaker {
public:
  TrainingMaker(Model model, const std::string& loss, const TrainingOptions& options) : m_options(options) {
    m_t.model = std::move(model);
    m_t.accumulation = options.accumulation;
    m_t.loss = loss;
  }

  TrainingModel make() {
    if (m_options.accumulation < 1 || !(m_options.lossScale > 0) || m_options.clipNorm < 0)
      throw Error(ErrorCode::InvalidInput,
                  "accumulation must be at least 1, the loss scale above 0 and the clipping norm not below 0");
    Graph& graph = m_t.model.graph;
    for (Node& node : graph.nodes) node.path.insert(node.path.begin(), "fwd");
    for (const std::string& name : parametersOf(graph, m_options.parameters)) {
      auto entry = graph.initialisers.extract(name);
      m_t.variables[name] = entry.mapped();
      m_t.parameters.push_back(name);
    }
    m_gradients = addGradients(graph, m_t.loss, m_t.parameters, m_options.lossScale);
    dropUntrained(graph);
    GraphBuilder builder(graph, std::max(13, m_t.model.opset));
    makeLossFirst(graph, builder);
    if (m_options.accumulation > 1) accumulate(builder);
    m_t.microBatchNodes = graph.nodes.size();
    update(builder);
    return std::move(m_t);
  }

private:
  // What the loss does not depend on stays a constant.
  void dropUntrained(Graph& graph) {
    std::erase_if(m_t.parameters, [&](const std::string& name) {
      if (m_gradients.count(name)) return false;
      graph.initialisers[name] = std::move(m_t.variables.at(name));
      m_t.variables.erase(name);
      return true;
    });
  }

  static void moveToFront(std::vector<ValueDeclaration>& outputs, const std::string& name) {
    const auto at = std::find_if(outputs.begin(), outputs.end(), [&](const auto& o) { return o.name == name; });
    std::rotate(outputs.begin(), at, at + 1);
  }
  void makeLossFirst(Graph& graph, GraphBuilder& builder) {
    builder.output(m_t.loss);
    moveToFront(graph.outputs, m_t.loss);
  }

  void addVariable(GraphBuilder& builder, const std::string& name, HostTensor value) {
    builder.declare(name, {value.type(), value.shape()});
    m_t.variables[name] = std::move(value);
  }

  // Each sum follows the node that makes its gradient, so that gradients do not wait for the end of the backward pass.
  void accumulate(GraphBuilder& builder) {
    std::vector<Node>& nodes = builder.graph().nodes;
    const std::size_t before = nodes.size();
    for (const std::string& name : m_t.parameters) {
      const TensorType type = builder.type(name);
      const std::string sum = name + "/accumulator";
      addVariable(builder, sum, HostTensor(type.type, type.shape));
      builder.setPath({"bwd", name});
      m_accumulated[name] = builder.addOwn("Accumulate", {sum, m_gradients.at(name)});
    }
    std::multimap<std::string, Node> sums;
    for (std::size_t i = before; i < nodes.size(); ++i) sums.emplace(nodes[i].inputs[1], nodes[i]);
    std::vector<Node> ordered;
    for (std::size_t i = 0; i < before; ++i) {
      ordered.push_back(std::move(nodes[i]));
      const std::vector<std::string> made = ordered.back().outputs;
      for (const std::string& output : made)
        for (auto [sum, end] = sums.equal_range(output); sum != end; ++sum) ordered.push_back(sum->second);
    }
    nodes = std::move(ordered);
  }

  // 1, or what brings the norm of all gradients down to the limit.
  std::string clipFactor(GraphBuilder& builder, const std::vector<std::string>& gradients, double divisor) {
    builder.setPath({"wu", "clip"});
    return builder.addOwn("ClipFactor", gradients, attributes({{"limit", float(m_options.clipNorm * divisor)}}));
  }

  void update(GraphBuilder& builder) {
    const double divisor = m_options.lossScale * double(m_options.accumulation);
    std::vector<std::string> gradients;
    for (const std::string& name : m_t.parameters)
      gradients.push_back(m_accumulated.empty() ? m_gradients.at(name) : m_accumulated.at(name));
    if (m_options.clipNorm > 0) {
      const std::string factor = clipFactor(builder, gradients, divisor);
      for (std::string& gradient : gradients) gradient = builder.add("Mul", {gradient, factor});
    }
    const auto type = numerics::ElementType::Float;
    const std::string rate = builder.constant("learningRate", HostTensor::full(type, {}, m_options.optimiser.learningRate));
    std::string step;
    if (countsSteps(m_options.optimiser.kind)) {
      addVariable(builder, "stepCount", HostTensor(type, {}));
      builder.setPath({"wu"});
      step = builder.addOwn("CountStep", {"stepCount"});
      m_t.written.push_back({"stepCount", step});
    }
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const std::string& name = m_t.parameters[i];
      builder.setPath({"wu", name});
      Update update = addUpdate(builder, m_options.optimiser, name, gradients[i], divisor, rate, step);
      for (auto& state : update.state) m_t.variables[state.name] = std::move(state.value);
      m_t.written.insert(m_t.written.end(), update.written.begin(), update.written.end());
      // After its last use a sum starts again from zero.
      if (!m_accumulated.empty())
        m_t.written.push_back(
            {name + "/accumulator", builder.addOwn("SetZero", {m_accumulated.at(name), update.written[0].second})});
    }
  }

  TrainingOptions m_options;
  TrainingModel m_t;
  std::unordered_map<std::string, std::string> m_gradients, m_accumulated; // by parameter
};

} // namespace

TrainingModel makeTraining(Model model, const std::string& loss, const TrainingOptions& options) {
  const std::string file = model.file;
  try {
    return TrainingMaker(std::move(model), loss, options).make();
  } catch (const Error& error) {
    throw error.within(file);
  }
}

} // namespace simcore::model

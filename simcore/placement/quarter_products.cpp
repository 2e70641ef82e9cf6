#include "simcore/placement/quarter_products.h"

#include "reports/core/option.h"
#include "simcore/codelets/convolution.h"
#include "simcore/graph/scales_output.h"
#include "simcore/graph/workload.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/training/autodiff.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/float8.h"
#include "simcore/numerics/quantise.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

namespace {

constexpr ElementType kQuarter = ElementType::Float8E4M3Fnuz;

// The value divided by 2^power.
HostTensor inUnits(const HostTensor& value, int power) {
  const HostTensor factor = HostTensor::full(ElementType::Float, {}, std::ldexp(1.0, -power));
  return numerics::binary(numerics::BinaryKind::Mul, value.cast(ElementType::Float), factor).cast(kQuarter);
}

bool convolves(const Node& node) {
  return (node.domain.empty() && node.opType == "Conv") || (node.domain == kOwnDomain && node.opType == "FusedConv");
}
bool multiplies(const Node& node) { return node.domain.empty() && (node.opType == "MatMul" || node.opType == "Gemm"); }

// Converts the products that can read 8-bit floats, one per node.
class Conversion {
public:
  Conversion(Model& model, const QuarterProducts& options, const arch::Machine& machine)
      : m_graph(model.graph), m_options(options), m_leastTerms(codelets::ampInputChannels(machine.tile, kQuarter)) {}

  void run() {
    const std::vector<bool> chosen = choose();
    setScales(chosen);
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
      Node& node = m_graph.nodes[i];
      if (chosen[i]) convert(node, nodes);
      nodes.push_back(std::move(node));
    }
    m_graph.nodes = std::move(nodes);
    dropUnread();
  }

private:
  const TensorType& type(const std::string& name) const { return m_graph.types.at(name); }
  const HostTensor* constant(const std::string& name) const {
    const auto found = m_graph.initialisers.find(name);
    return found == m_graph.initialisers.end() ? nullptr : &found->second;
  }
  static bool isWide(ElementType type) { return type == ElementType::Float || type == ElementType::Half; }

  // Whether input 1, and no other input, is constant weights. In training, these must be a matrix or filters: gradients of
  // batched products do not support 8-bit floats.
  bool hasWeights(const Node& node) const {
    const bool isTrainable = convolves(node) || node.inputs.size() < 2 || type(node.inputs[1]).shape.size() <= 2;
    return (isTrainable || !m_options.trains) && node.inputs.size() > 1 && constant(node.inputs[1]) &&
           !constant(node.inputs[0]) && isWide(type(node.inputs[0]).type) && isWide(type(node.inputs[1]).type);
  }

  // The length of the dimension that the matrix unit sums over; in a convolution, the input channels of a group.
  std::int64_t terms(const Node& node) const {
    const Shape& weights = type(node.inputs[1]).shape;
    if (convolves(node)) return weights[1];
    if (weights.size() < 2) return weights.empty() ? 1 : weights[0];
    return weights[weights.size() - (node.opType == "Gemm" && node.attributes.integer("transB", 0) != 0 ? 1 : 2)];
  }

  bool isSkipped(const Node& node, std::set<std::string>& unknown) const {
    bool skipped = false;
    const auto ask = [&](const std::string& name) {
      unknown.erase(name);
      skipped = skipped || m_options.skipped.count(name);
    };
    ask(node.name);
    for (const Node::Origin& origin : node.fused) ask(origin.name);
    return skipped;
  }

  std::vector<bool> choose() const {
    std::vector<bool> chosen(m_graph.nodes.size(), false);
    std::set<std::string> unknown = m_options.skipped;
    std::size_t last = m_graph.nodes.size();
    for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
      const Node& node = m_graph.nodes[i];
      if (!convolves(node) && !multiplies(node)) continue;
      const bool skipped = isSkipped(node, unknown);
      if (!hasWeights(node)) continue;
      last = i;
      chosen[i] = !skipped && terms(node) >= m_leastTerms;
    }
    if (!unknown.empty())
      throw Error(ErrorCode::NotFound, "no convolution, MatMul or Gemm is called '" + *unknown.begin() + "'",
                  reports::option("fp8-skip"));
    if (last < chosen.size()) chosen[last] = false;
    return chosen;
  }

  // Weights of equal shape share the largest of their scales, so that similar layers can share a function.
  void setScales(const std::vector<bool>& chosen) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (!chosen[i]) continue;
      const HostTensor& weights = *constant(m_graph.nodes[i].inputs[1]);
      const int scale = m_options.unitScaled ? 0 : numerics::quarterScale(weights);
      const auto [at, added] = m_scales.emplace(weights.shape(), scale);
      if (!added) at->second = std::max(at->second, scale);
    }
  }

  std::string unique(std::string name) const {
    while (m_graph.types.count(name)) name += "'";
    return name;
  }

  std::string weightsOf(const std::string& name) {
    if (const auto known = m_converted.find(name); known != m_converted.end()) return known->second;
    const HostTensor original = *constant(name);
    const int scale = m_scales.at(original.shape());
    const std::string made = unique(name + "/f143");
    m_graph.initialisers[made] =
        HostTensor::deferred(kQuarter, original.shape(), [original, scale] { return inUnits(original, scale); });
    m_graph.types[made] = {kQuarter, original.shape()};
    return m_converted[name] = made;
  }

  int activationScale() const { return m_options.unitScaled ? 0 : m_options.activationScale; }

  std::string castOf(const Node& reader, const std::string& name, int scale, std::vector<Node>& nodes, const char* kind) {
    if (const auto known = m_converted.find(name); known != m_converted.end()) return known->second;
    Node cast;
    cast.opType = "QuarterCast";
    cast.domain = kOwnDomain;
    cast.opset = 1;
    cast.name = unique(name + "/f143");
    cast.path = reader.path;
    cast.inputs = {name};
    cast.outputs = {cast.name};
    cast.attributes = attributes({{"to", onnxTypeOf(kQuarter)}, {"scale", std::int64_t(scale)}});
    m_graph.types[cast.name] = {kQuarter, type(name).shape};
    m_converted[name] = cast.name;
    if (m_options.history > 0) {
      const std::string history = unique(name + "/amax"), largest = unique(name + "/largest");
      m_graph.types[history] = {ElementType::Float, {m_options.history}};
      m_graph.types[largest] = {ElementType::Float, {}};
      cast.inputs.push_back(history);
      cast.outputs.push_back(largest);
      cast.attributes.set(kCastKind, std::string(kind));
      m_histories[cast.name] = history;
    }
    nodes.push_back(std::move(cast));
    return m_converted[name];
  }

  void convert(Node& node, std::vector<Node>& nodes) {
    const int ofWeights = m_scales.at(type(node.inputs[1]).shape);
    node.attributes.set(kProductScale, std::int64_t(ofWeights + activationScale()));
    node.attributes.set(kWeightScale, std::int64_t(ofWeights));
    node.attributes.set(kProductType, onnxTypeOf(type(node.outputs[0]).type));
    node.inputs[0] = castOf(node, node.inputs[0], activationScale(), nodes, "activations");
    node.inputs[1] = m_options.trains ? castOf(node, node.inputs[1], ofWeights, nodes, "weights") : weightsOf(node.inputs[1]);
    if (m_options.history == 0) return;
    node.inputs.resize(kHistories);
    for (const std::size_t i : {0, 1}) node.inputs.push_back(m_histories.at(node.inputs[i]));
  }

  // Removes weights that only products read; these read their 8-bit form.
  void dropUnread() {
    std::set<std::string> read;
    for (const Node& node : m_graph.nodes)
      for (const std::string& name : namesReadBy(node)) read.insert(name);
    for (const auto& output : m_graph.outputs) read.insert(output.name);
    for (const auto& [name, made] : m_converted)
      if (!read.count(name)) m_graph.initialisers.erase(name);
  }

  Graph& m_graph;
  const QuarterProducts& m_options;
  const std::int64_t m_leastTerms;
  std::map<Shape, int> m_scales;
  std::map<std::string, std::string> m_histories; // by name of the cast
  std::map<std::string, std::string> m_converted; // by values and weights: their 8-bit form
};

// The first entry determines the scale until later ones are known.
HostTensor firstHistory(double largest, std::int64_t length) {
  std::vector<float> values(static_cast<std::size_t>(length));
  values[0] = float(largest);
  return HostTensor::vector(values);
}

// The casts that have a history.
std::vector<Node> castsOf(const TrainingModel& training) {
  std::vector<Node> casts;
  for (std::size_t n = 0; n < training.microBatchNodes; ++n)
    if (const Node& node = training.model.graph.nodes[n]; node.opType == "QuarterCast" && node.inputs.size() > 1)
      casts.push_back(node);
  return casts;
}

} // namespace

void addHistories(TrainingModel& training, const QuarterProducts& options) {
  Graph& graph = training.model.graph;
  const std::vector<Node> casts = castsOf(training);
  if (casts.empty())
    throw Error(ErrorCode::InvalidInput, "no product reads 8-bit floats", reports::option("fp8-history"), "leave it out");
  const int ipu = training.ipuOfNode[training.microBatchNodes - 1];
  std::map<std::string, std::vector<std::string>> historiesOf;
  std::vector<std::string> histories, largest;
  for (const Node& cast : casts) {
    const std::string kind = cast.attributes.text(kCastKind, "");
    historiesOf[kind].push_back(cast.inputs[1]);
    histories.push_back(cast.inputs[1]);
    largest.push_back(cast.outputs[1]);
    const auto weights = training.variables.find(cast.inputs[0]);
    const double most = kind == "gradients" ? double(numerics::F8E5M2Fnuz::largest()) : double(numerics::F8E4M3Fnuz::largest());
    HostTensor first = firstHistory(std::ldexp(most, int(cast.attributes.integer("scale", 0))), options.history);
    if (kind == "weights" && weights != training.variables.end())
      first = HostTensor::deferred(ElementType::Float, {options.history}, [value = weights->second, length = options.history] {
        double largestWeight = 0;
        for (const double v : value.toDoubles()) largestWeight = std::max(largestWeight, std::abs(v));
        return firstHistory(largestWeight, length);
      });
    training.variables[cast.inputs[1]] = first;
  }
  // The scales of this step must be read before the update changes the histories.
  std::vector<Node> updates(graph.nodes.begin() + std::ptrdiff_t(training.microBatchNodes), graph.nodes.end());
  graph.nodes.resize(training.microBatchNodes);
  GraphBuilder builder(graph);
  builder.setSource({});
  builder.setPath({"bwd", "fp8"});
  for (const auto& [kind, of] : historiesOf) {
    const ElementType to = kind == "gradients" ? ElementType::Float8E5M2Fnuz : kQuarter;
    builder.output(
        builder.addOwn("QuarterScales", of, attributes({{"to", onnxTypeOf(to)}}), std::string(graph::kScalesOutput) + kind));
    training.forwardOf.push_back(training.forwardNodes - 1);
    training.ipuOfNode.insert(training.ipuOfNode.begin() + std::ptrdiff_t(training.microBatchNodes), ipu);
    training.stageOfNode.push_back(training.stageOfNode.back());
    ++training.microBatchNodes;
  }
  std::move(updates.begin(), updates.end(), std::back_inserter(graph.nodes));
  builder.setPath({"wu", "fp8"});
  std::vector<std::string> inputs = histories;
  inputs.insert(inputs.end(), largest.begin(), largest.end());
  const auto updated = builder.addOwnMany("HistoryUpdate", inputs, {}, std::vector(histories.size(), true));
  for (std::size_t i = 0; i < updated.size(); ++i) training.written.push_back({histories[i], updated[i]});
  training.ipuOfNode.push_back(ipu);
}

Model withQuarterProducts(Model model, const QuarterProducts& options, const arch::Machine& machine) {
  arch::requireQuarter(machine);
  Conversion(model, options, machine).run();
  return model;
}

} // namespace simcore::model

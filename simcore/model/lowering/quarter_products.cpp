#include "simcore/model/lowering/quarter_products.h"

#include "reports/core/option.h"
#include "simcore/codelets/convolution.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/quantise.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

namespace {

constexpr ElementType kQuarter = ElementType::Float8E4M3Fnuz;

// In units of two to this power.
HostTensor inUnits(const HostTensor& value, int power) {
  const HostTensor factor = HostTensor::full(ElementType::Float, {}, std::ldexp(1.0, -power));
  return numerics::binary(numerics::BinaryKind::Mul, value.cast(ElementType::Float), factor).cast(kQuarter);
}

bool convolves(const Node& node) {
  return (node.domain.empty() && node.opType == "Conv") || (node.domain == kOwnDomain && node.opType == "FusedConv");
}
bool multiplies(const Node& node) { return node.domain.empty() && (node.opType == "MatMul" || node.opType == "Gemm"); }

// One product per node that can read 8-bit floats.
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

  // Whether input 1, and only it, is constant weights. In training they must be a matrix or filters: gradients of batched products do not support
  // 8-bit floats.
  bool hasWeights(const Node& node) const {
    const bool isTrainable = convolves(node) || node.inputs.size() < 2 || type(node.inputs[1]).shape.size() <= 2;
    return (isTrainable || !m_options.trains) && node.inputs.size() > 1 && constant(node.inputs[1]) &&
           !constant(node.inputs[0]) && isWide(type(node.inputs[0]).type) && isWide(type(node.inputs[1]).type);
  }

  // Number of terms per sum in one group.
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

  std::string castOf(const Node& reader, const std::string& name, int scale, std::vector<Node>& nodes) {
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
    nodes.push_back(std::move(cast));
    return m_converted[name];
  }

  void convert(Node& node, std::vector<Node>& nodes) {
    const int ofWeights = m_scales.at(type(node.inputs[1]).shape);
    node.attributes.set(kProductScale, std::int64_t(ofWeights + activationScale()));
    node.attributes.set(kWeightScale, std::int64_t(ofWeights));
    node.attributes.set(kProductType, onnxTypeOf(type(node.outputs[0]).type));
    node.inputs[0] = castOf(node, node.inputs[0], activationScale(), nodes);
    node.inputs[1] = m_options.trains ? castOf(node, node.inputs[1], ofWeights, nodes) : weightsOf(node.inputs[1]);
  }

  // Weights read only by products are stored once, in 8 bits.
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
  std::map<std::string, std::string> m_converted; // values and weights to their 8-bit form
};

} // namespace

Model withQuarterProducts(Model model, const QuarterProducts& options, const arch::Machine& machine) {
  arch::requireQuarter(machine);
  Conversion(model, options, machine).run();
  return model;
}

} // namespace simcore::model

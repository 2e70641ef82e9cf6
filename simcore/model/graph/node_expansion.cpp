#include "simcore/model/graph/node_expansion.h"

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

// Appends nodes that carry the name of the one they stand for.
class Expansion {
public:
  explicit Expansion(const Node& source) : m_source(source) {}

  std::string add(const std::string& type, const std::vector<std::string>& inputs, const Attributes& attributes,
                  const std::string& output) {
    Node node;
    node.opType = type;
    node.name = m_source.name;
    node.opset = m_source.opset;
    node.path = m_source.path;
    node.inputs = inputs;
    node.outputs = {output};
    node.attributes = attributes;
    m_nodes.push_back(std::move(node));
    return output;
  }
  std::string inner(const std::string& what) const {
    for (const std::string& output : m_source.outputs)
      if (!output.empty()) return output + "/" + what;
    return what;
  }
  std::string constant(const std::string& what, const HostTensor& value) {
    Attributes a;
    a.set("value", value);
    return add("Constant", {}, a, inner(what));
  }
  std::string number(const std::string& what, ElementType type, double value) {
    return constant(what, HostTensor::full(type, {}, value));
  }
  std::vector<Node> nodes() { return std::move(m_nodes); }

private:
  const Node& m_source;
  std::vector<Node> m_nodes;
};

// y = x / (1 - ratio) where a number in [0, 1) is not below the ratio, else 0; the mask says where.
std::optional<std::vector<Node>> expandDropout(const Call& call) {
  if (!call.has(2)) return {};
  if (!call.isKnown(2) || (call.has(1) && !call.isKnown(1)))
    throw Error(ErrorCode::Unsupported, "Dropout needs its ratio, and whether it is training, before the run");
  const double ratio = call.has(1) ? call.value(1).at(0) : 0.5;
  if (call.value(2).integerAt(0) == 0 || ratio == 0) return {};
  if (!(ratio > 0 && ratio < 1)) throw Error(ErrorCode::InvalidInput, "the ratio of Dropout is not below 1");
  const std::string& x = call.node().inputs[0];
  const ElementType type = call.elementType(0);
  Expansion e(call.node());
  Attributes uniform;
  uniform.set("dtype", std::int64_t(1));
  uniform.set("high", 1 - 0x1p-24f);
  if (call.attributes().has("seed")) uniform.set("seed", float(call.attributes().integer("seed", 0)));
  const std::string drawn = e.add("RandomUniformLike", {x}, uniform, e.inner("uniform"));
  const std::string mask = e.add("GreaterOrEqual", {drawn, e.number("ratio", ElementType::Float, ratio)}, {},
                                 call.wantsOutput(1) ? call.node().outputs[1] : e.inner("mask"));
  if (!call.wantsOutput(0)) return e.nodes();
  const std::string scaled = e.add("Mul", {x, e.number("scale", type, 1 / (1 - ratio))}, {}, e.inner("scaled"));
  e.add("Where", {mask, scaled, e.number("zero", type, 0)}, {}, call.node().outputs[0]);
  return e.nodes();
}

// Before opset 21 there was a scale and a bias for each group; since then there is one for each channel.
std::optional<std::vector<Node>> expandGroupNorm(const Call& call) {
  const std::int64_t groups = call.attributes().requiredInteger("num_groups");
  if (call.opset() >= 21 || groups < 1 || call.shape(0).size() < 2 || call.shape(0)[1] % groups != 0) return {};
  const std::int64_t each = call.shape(0)[1] / groups;
  Expansion e(call.node());
  std::vector<std::string> inputs{call.node().inputs[0]};
  for (const std::size_t i : {1, 2}) {
    const std::string name = i == 1 ? "scale" : "bias";
    const auto shape = [&](const char* what, const numerics::Shape& to) {
      return e.constant(name + what, HostTensor::vector(to));
    };
    const std::string column =
        e.add("Reshape", {call.node().inputs.at(i), shape("/column", {groups, 1})}, {}, e.inner(name + "/ofGroups"));
    const std::string all = e.add("Expand", {column, shape("/all", {groups, each})}, {}, e.inner(name + "/repeated"));
    inputs.push_back(e.add("Reshape", {all, shape("/row", {groups * each})}, {}, e.inner(name)));
  }
  e.add("GroupNormalization", inputs, call.attributes(), call.node().outputs.at(0));
  std::vector<Node> nodes = e.nodes();
  nodes.back().opset = 21;
  return nodes;
}

} // namespace

std::optional<std::vector<Node>> expandNode(const Call& call) {
  if (!call.node().domain.empty()) return {};
  if (call.node().opType == "Dropout") return expandDropout(call);
  if (call.node().opType == "GroupNormalization") return expandGroupNorm(call);
  return {};
}

} // namespace simcore::model

#include "simcore/model/graph/graph_builder.h"

#include "reports/core/within.h"

#include <fmt/format.h>

namespace simcore::model {

Attributes attributes(std::initializer_list<std::pair<const char*, Attribute>> values) {
  Attributes all;
  for (const auto& [name, value] : values) all.set(name, value);
  return all;
}

GraphBuilder::GraphBuilder(Graph& graph, int opset) : m_graph(graph), m_opset(opset) {
  for (const auto& [name, type] : graph.types) m_names.insert(name);
}

std::string GraphBuilder::unique(const std::string& name) {
  // The name may be taken, because other code can have added values to the graph since.
  if (!m_graph.types.count(name) && m_names.insert(name).second) return name;
  for (int& i = m_numbers[name];;) {
    const std::string numbered = name + "." + std::to_string(++i);
    if (!m_graph.types.count(numbered) && m_names.insert(numbered).second) return numbered;
  }
}

std::string GraphBuilder::input(const std::string& name, ElementType type, const Shape& shape) {
  std::vector<Dimension> dims;
  for (const std::int64_t size : shape) dims.push_back({size, {}});
  m_graph.inputs.push_back({name, type, dims});
  m_names.insert(name);
  m_graph.types[name] = {type, shape};
  return name;
}

void GraphBuilder::output(const std::string& name) {
  for (const auto& declared : m_graph.outputs)
    if (declared.name == name) return;
  std::vector<Dimension> dims;
  for (const std::int64_t size : shape(name)) dims.push_back({size, {}});
  m_graph.outputs.push_back({name, type(name).type, dims});
}

std::string GraphBuilder::constant(const std::string& name, const HostTensor& value) {
  const std::string called = unique(name);
  m_graph.initialisers[called] = value;
  m_graph.types[called] = {value.type(), value.shape()};
  return called;
}

std::string GraphBuilder::integers(const std::vector<std::int64_t>& values) {
  std::string name = "const/[";
  for (const std::int64_t v : values) name += std::to_string(v) + ",";
  name.back() = ']';
  if (m_graph.initialisers.count(name)) return name;
  return constant(name, HostTensor::vector(values));
}

std::string GraphBuilder::number(double value, ElementType type) {
  const std::string name = fmt::format("const/{}:{}", numerics::elementTypeName(type), value);
  if (m_graph.initialisers.count(name)) return name;
  return constant(name, HostTensor::full(type, {}, value));
}

const TensorType& GraphBuilder::type(const std::string& name) const {
  const auto found = m_graph.types.find(name);
  if (found == m_graph.types.end()) throw Error(ErrorCode::InvalidInput, "nothing defines the value '" + name + "'");
  return found->second;
}

Call GraphBuilder::call(const Node& node) const {
  auto operands = operandsOf(node, [&](const std::string& input) {
    const auto known = m_graph.initialisers.find(input);
    return Call::Operand{type(input), known == m_graph.initialisers.end() ? nullptr : &known->second};
  });
  return Call(node, std::move(operands), {}, {});
}

std::vector<std::string> GraphBuilder::addMany(const std::string& opType, const std::vector<std::string>& inputs,
                                               Attributes attributes, const std::vector<bool>& wanted, const NodeName& called,
                                               const std::string& domain) {
  Node node;
  node.opType = opType;
  node.domain = domain;
  node.inputs = inputs;
  node.attributes = std::move(attributes);
  node.opset = domain.empty() ? m_opset : 1;
  node.path = m_path;
  const std::string& name = called.text;
  node.name = name.empty() ? opType : name;
  node.source = m_source.value_or(called.source);
  std::string prefix;
  if (name.empty())
    for (const std::string& part : m_path) prefix += part + "/";
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string base = prefix + node.name + (i ? ":" + std::to_string(i) : "");
    node.outputs.push_back(wanted[i] ? unique(base) : "");
  }
  // A second node of this type in the same path gets the number of its value in the report: "ReduceSum.1".
  if (name.empty() && !wanted.empty() && wanted[0]) node.name = node.outputs[0].substr(prefix.size());
  const Types types = reports::within(node.label(), [&] { return operatorFor(node).infer(call(node)); });
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    if (i >= types.size()) throw Error(ErrorCode::Internal, opType + " has no output " + std::to_string(i), node.label());
    m_graph.types[node.outputs[i]] = types[i];
  }
  m_graph.nodes.push_back(node);
  return node.outputs;
}

std::vector<std::string> GraphBuilder::append(Node node, const std::vector<TensorType>& types) {
  node.path = m_path;
  const Types found = types.empty() ? operatorFor(node).infer(call(node)) : types;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    node.outputs[i] = unique(node.outputs[i]);
    m_graph.types[node.outputs[i]] = found.at(i);
  }
  m_graph.nodes.push_back(node);
  return node.outputs;
}

std::string GraphBuilder::add(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes,
                              const NodeName& name, const std::string& domain) {
  return addMany(opType, inputs, std::move(attributes), {true}, name, domain)[0];
}
std::string GraphBuilder::addOwn(const std::string& opType, const std::vector<std::string>& inputs, Attributes attributes,
                                 const NodeName& name) {
  return addMany(opType, inputs, std::move(attributes), {true}, name, kOwnDomain)[0];
}
std::vector<std::string> GraphBuilder::addOwnMany(const std::string& opType, const std::vector<std::string>& inputs,
                                                  Attributes attributes, const std::vector<bool>& wanted, const NodeName& name) {
  return addMany(opType, inputs, std::move(attributes), wanted, name, kOwnDomain);
}

std::string GraphBuilder::reshape(const std::string& x, const Shape& to) {
  if (shape(x) == to) return x;
  return add("Reshape", {x, integers(to)});
}

std::string GraphBuilder::reduce(const std::string& opType, const std::string& x, const std::vector<std::int64_t>& axes,
                                 bool keepDims) {
  if (axes.empty()) return x;
  const std::int64_t keep = keepDims;
  if (opType == "ReduceSum") return add(opType, {x, integers(axes)}, model::attributes({{"keepdims", keep}}));
  return add(opType, {x}, model::attributes({{"axes", axes}, {"keepdims", keep}}));
}

std::string GraphBuilder::reduceTo(const std::string& x, const Shape& to) {
  const Shape& from = shape(x);
  if (from == to) return x;
  std::vector<std::int64_t> axes;
  const std::size_t added = from.size() - to.size();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (i < added || (to[i - added] == 1 && from[i] != 1)) axes.push_back(std::int64_t(i));
  return reshape(reduce("ReduceSum", x, axes, false), to);
}

std::string GraphBuilder::expand(const std::string& x, const Shape& to) {
  if (shape(x) == to) return x;
  return add("Expand", {x, integers(to)});
}

std::string GraphBuilder::transpose(const std::string& x, const std::vector<std::int64_t>& order) {
  return add("Transpose", {x}, model::attributes({{"perm", order}}));
}

std::string GraphBuilder::scaled(const std::string& x, double factor) {
  if (factor == 1) return x;
  return add("Mul", {x, number(factor, type(x).type)});
}

} // namespace simcore::model

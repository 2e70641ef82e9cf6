#include "simcore/fusion/pattern_graph.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

PatternGraph::PatternGraph(Graph& graph) : m_graph(graph), m_nodes(std::move(graph.nodes)) {
  for (std::size_t i = 0; i < m_nodes.size(); ++i) add(i);
  for (const auto& output : m_graph.outputs) m_readers[output.name].push_back(m_nodes.size());
}

PatternGraph::~PatternGraph() {
  std::erase_if(m_nodes, [](const Node& node) { return node.outputs.empty(); });
  m_graph.nodes = std::move(m_nodes);
}

void PatternGraph::add(std::size_t i) {
  for (const std::string& output : m_nodes[i].outputs)
    if (!output.empty()) m_producer[output] = i;
  for (const std::string& input : m_nodes[i].inputs)
    if (!input.empty()) m_readers[input].push_back(i);
  for (const auto& [key, value] : m_nodes[i].attributes.all())
    if (const auto* sub = std::get_if<std::shared_ptr<const Graph>>(&value))
      for (const std::string& name : outerNames(**sub)) m_readers[name].push_back(m_nodes.size());
}

void PatternGraph::remove(std::size_t i) {
  for (const std::string& output : m_nodes[i].outputs) m_producer.erase(output);
  for (const std::string& input : m_nodes[i].inputs)
    if (const auto readers = m_readers.find(input); readers != m_readers.end()) std::erase(readers->second, i);
  m_nodes[i] = {};
}

const Node* PatternGraph::producer(const std::string& value, const std::string& type) const {
  const auto found = m_producer.find(value);
  if (found == m_producer.end()) return nullptr;
  const Node& node = m_nodes[found->second];
  return type.empty() || (node.opType == type && node.domain.empty()) ? &node : nullptr;
}

const Node* PatternGraph::reader(const std::string& value, const std::string& type) const {
  const auto found = m_readers.find(value);
  if (found == m_readers.end() || found->second.size() != 1 || found->second[0] == m_nodes.size()) return nullptr;
  const Node& node = m_nodes[found->second[0]];
  return type.empty() || (node.opType == type && node.domain.empty()) ? &node : nullptr;
}

int PatternGraph::readers(const std::string& value) const {
  const auto found = m_readers.find(value);
  return found == m_readers.end() ? 0 : int(found->second.size());
}

bool PatternGraph::leaves(const std::string& value) const {
  const auto found = m_readers.find(value);
  return found != m_readers.end() && std::count(found->second.begin(), found->second.end(), m_nodes.size()) > 0;
}

const HostTensor* PatternGraph::constant(const std::string& value) const {
  const auto found = m_graph.initialisers.find(value);
  return found == m_graph.initialisers.end() || m_graph.trained.count(value) ? nullptr : &found->second;
}

std::optional<double> PatternGraph::number(const std::string& value) const {
  const HostTensor* tensor = constant(value);
  if (!tensor || tensor->count() != 1) return std::nullopt;
  return tensor->at(0);
}

bool PatternGraph::isNumber(const std::string& value, double wanted) const {
  const auto got = number(value);
  return got && std::abs(*got - wanted) <= 1e-4 * std::max(1.0, std::abs(wanted));
}

const std::string& PatternGraph::other(const Node& node, const std::string& operand) {
  return node.inputs[node.inputs[0] == operand ? 1 : 0];
}

std::string PatternGraph::addConstant(const std::string& name, const HostTensor& value) {
  std::string unique = name;
  for (int i = 1; m_graph.types.count(unique); ++i) unique = name + "/" + std::to_string(i);
  m_graph.initialisers[unique] = value;
  m_graph.types[unique] = {value.type(), value.shape()};
  return unique;
}

void PatternGraph::replace(std::initializer_list<const Node*> nodes, const Node& main, Node made) {
  replace(std::vector<const Node*>(nodes), main, std::move(made));
}

void PatternGraph::replace(const std::vector<const Node*>& nodes, const Node& main, Node made) {
  std::vector<std::size_t> old;
  for (const Node* node : nodes) old.push_back(indexOf(*node));
  std::sort(old.begin(), old.end());
  old.erase(std::unique(old.begin(), old.end()), old.end());
  const std::size_t last = old.back();
  made.name = main.name;
  made.path = main.path;
  made.source = main.source;
  made.doc = main.doc;
  made.outputs = m_nodes[last].outputs;
  made.fused.clear();
  for (const std::size_t i : old) {
    const Node& node = m_nodes[i];
    if (node.fused.empty())
      made.fused.push_back({node.name.empty() ? node.outputs.at(0) : node.name, node.opType});
    else
      made.fused.insert(made.fused.end(), node.fused.begin(), node.fused.end());
  }
  for (const std::size_t i : old) {
    if (i != last)
      for (const std::string& output : m_nodes[i].outputs) m_graph.types.erase(output);
    remove(i);
  }
  m_nodes[last] = std::move(made);
  add(last);
}

} // namespace simcore::model

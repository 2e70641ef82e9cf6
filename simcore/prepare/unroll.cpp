#include "simcore/prepare/unroll.h"

#include <algorithm>
#include <string>

namespace simcore::model {

namespace {

constexpr std::int64_t kMostRounds = 1024, kMostNodes = 20'000;

bool isTrue(const HostTensor* value) { return value && value->count() == 1 && value->integerAt(0) != 0; }

// Whether every iteration continues: the body returns the condition that it was given, or a constant that is true.
bool goesOn(const Graph& body, const NodeValues& values) {
  std::string name = body.outputs.at(0).name;
  for (std::size_t steps = 0; steps <= body.nodes.size(); ++steps) {
    if (name == body.inputs.at(1).name) return true;
    if (const auto found = body.initialisers.find(name); found != body.initialisers.end()) return isTrue(&found->second);
    const auto maker = std::find_if(body.nodes.begin(), body.nodes.end(), [&](const Node& node) {
      return std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end();
    });
    if (maker == body.nodes.end()) return isTrue(values.constant(name));
    if (maker->opType == "Constant") return maker->attributes.has("value") && isTrue(&maker->attributes.tensor("value"));
    if (maker->opType != "Identity" && maker->opType != "Cast") return false;
    name = maker->inputs.at(0);
  }
  return false;
}

// The number of nodes, including those of subgraphs.
std::int64_t nodesIn(const Graph& graph) {
  auto count = std::int64_t(graph.nodes.size());
  for (const Node& node : graph.nodes)
    for (const auto& [key, value] : node.attributes.all())
      if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&value); inner && *inner) count += nodesIn(**inner);
  return count;
}

// A loop while it is unrolled.
class Rounds {
public:
  Rounds(const Node& node, const Graph& body, std::size_t carried)
      : m_loop(node), m_body(body), m_state(node.inputs.begin() + 2, node.inputs.end()),
        m_rows(body.outputs.size() - 1 - carried) {
    for (const std::string& output : node.outputs)
      if (m_base.empty()) m_base = output;
  }

  void add(std::int64_t round) {
    const std::string prefix = m_base + "/" + std::to_string(round) + "/";
    Renaming names;
    const auto constant = [&](const std::string& name, const HostTensor& value) {
      Node node = own("Constant", {}, prefix + name);
      node.attributes.set("value", value);
      names[name] = prefix + name;
      m_nodes.push_back(std::move(node));
    };
    if (round == 0)
      for (const auto& [name, value] : m_body.initialisers) constant(name, value);
    m_constants.insert(names.begin(), names.end());
    names = m_constants;
    constant(m_body.inputs[0].name, HostTensor::scalar(round));
    constant(m_body.inputs[1].name, HostTensor::scalar(true));
    for (std::size_t k = 0; k < m_state.size(); ++k) names[m_body.inputs[k + 2].name] = m_state[k];
    for (const Node& node : m_body.nodes)
      for (const std::string& output : node.outputs)
        if (!output.empty()) names[output] = prefix + output;
    std::vector<Node> nodes = m_body.nodes;
    rename(nodes, names);
    for (Node& node : nodes) {
      if (!node.name.empty() && !m_loop.name.empty())
        node.name =
            m_loop.name + "/" + std::to_string(round) + node.name.substr(std::min(node.name.rfind('/'), node.name.size()));
      m_nodes.push_back(std::move(node));
    }
    const auto outside = [&](std::size_t output) {
      const std::string& name = m_body.outputs[output].name;
      const auto found = names.find(name);
      return found == names.end() ? name : found->second;
    };
    for (std::size_t k = 0; k < m_state.size(); ++k) m_state[k] = outside(k + 1);
    for (std::size_t k = 0; k < m_rows.size(); ++k) {
      const std::string row = prefix + "row" + std::to_string(k);
      m_nodes.push_back(own("Unsqueeze", {outside(k + 1 + m_state.size())}, row));
      m_nodes.back().attributes.set("axes", std::vector<std::int64_t>{0});
      m_rows[k].push_back(row);
    }
  }

  std::vector<Node> finish() {
    for (std::size_t i = 0; i < m_loop.outputs.size() && i < m_state.size() + m_rows.size(); ++i) {
      if (m_loop.outputs[i].empty()) continue;
      if (i < m_state.size()) {
        m_nodes.push_back(own("Identity", {m_state[i]}, m_loop.outputs[i]));
        continue;
      }
      m_nodes.push_back(own("Concat", m_rows[i - m_state.size()], m_loop.outputs[i]));
      m_nodes.back().attributes.set("axis", std::int64_t(0));
    }
    return std::move(m_nodes);
  }

private:
  Node own(const std::string& opType, std::vector<std::string> inputs, const std::string& output) const {
    Node node;
    node.opType = opType;
    node.name = m_loop.name;
    node.opset = m_loop.opset;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    node.doc = m_loop.doc;
    return node;
  }

  const Node& m_loop;
  const Graph& m_body;
  std::string m_base;
  Renaming m_constants;                         // new names of the body's constants; the same in all iterations
  std::vector<std::string> m_state;             // the carried values after the last iteration
  std::vector<std::vector<std::string>> m_rows; // by scan output: its row of each iteration
  std::vector<Node> m_nodes;
};

} // namespace

std::vector<Node> Unroller::unrolled(const Node& node, const NodeValues& values) {
  if (node.opType != "Loop" || !node.domain.empty() || node.inputs.size() < 2 || node.inputs[0].empty()) return {};
  const HostTensor* count = values.constant(node.inputs[0]);
  if (!count || count->count() != 1 || count->integerAt(0) < 1 || count->integerAt(0) > kMostRounds) return {};
  if (!node.inputs[1].empty() && !isTrue(values.constant(node.inputs[1]))) return {};
  const Graph& body = node.attributes.graph("body");
  const std::size_t carried = node.inputs.size() - 2;
  const std::int64_t rounds = count->integerAt(0);
  if (body.inputs.size() != carried + 2 || body.outputs.size() < carried + 1) return {};
  const std::int64_t nodes = rounds * (nodesIn(body) + 2) + std::int64_t(body.initialisers.size());
  if (m_nodes + nodes > kMostNodes || !goesOn(body, values)) return {};
  m_nodes += nodes; // nested loops also count, once per attempt to unroll them
  Rounds all(node, body, carried);
  for (std::int64_t round = 0; round < rounds; ++round) all.add(round);
  return all.finish();
}

} // namespace simcore::model

#include "simcore/model/offload.h"

#include "simcore/model/evaluate.h"
#include "simcore/model/graph_builder.h"

#include <algorithm>

namespace simcore::model {

namespace {

// Smaller values are not worth a transfer.
constexpr std::int64_t kFewestElements = 1024;

bool isView(const Node& node) {
  static const std::set<std::string> kViews{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
  return kViews.count(node.opType) != 0;
}

class Offloading {
public:
  explicit Offloading(TrainingModel& t) : m_t(t), m_nodes(t.model.graph.nodes), m_old(std::move(m_nodes)) { m_nodes.clear(); }

  void keepRemote(const std::string& variable) { m_t.remote.insert(variable); }
  void storeActivations() {
    for (std::size_t i = 0; i < m_t.forwardNodes; ++i)
      for (const std::string& name : m_old[i].outputs)
        if (!name.empty()) m_maker[name] = i;
    for (std::size_t i = m_t.forwardNodes; i < m_t.microBatchNodes; ++i)
      for (const std::string& name : namesReadBy(m_old[i])) markStored(name);
  }

  void apply() {
    const std::vector<std::size_t> forwardOf = std::move(m_t.forwardOf);
    const std::vector<int> ipus = std::move(m_t.ipuOfNode);
    m_t.forwardOf.clear();
    m_t.ipuOfNode.clear();
    const std::size_t forward = m_t.forwardNodes, micro = m_t.microBatchNodes;
    for (std::size_t i = 0; i < m_old.size(); ++i) {
      if (i == forward) m_t.forwardNodes = m_nodes.size();
      if (i == micro) m_t.microBatchNodes = m_nodes.size();
      m_ipu = ipus[i];
      m_isUpdate = i >= micro;
      m_forward = m_isUpdate ? 0 : forwardOf[i];
      m_section = (i < forward ? "fwd" : i < micro ? "bwd" : "wu") + std::to_string(m_ipu);
      Node node = m_old[i];
      m_shards = m_isUpdate ? node.attributes.integer("shards", 1) : 1;
      if (i >= forward && i < micro)
        for (std::string& name : node.inputs) name = activationFor(name, node.path);
      for (std::string& name : node.inputs)
        if (m_t.remote.count(name)) name = loaded(name, name, node.path);
      const std::vector<std::string> path = node.path, outputs = node.outputs;
      if (i < forward) m_placeOf.push_back(m_nodes.size());
      append(std::move(node));
      for (const std::string& output : outputs) storeIfWanted(output, i < forward, path);
    }
    if (micro == m_old.size()) m_t.microBatchNodes = m_nodes.size();
    // Nodes were counted before stores and loads came in between.
    for (std::size_t& origin : m_t.forwardOf) origin = m_placeOf.at(origin);
  }

private:
  void append(Node node) {
    m_nodes.push_back(std::move(node));
    m_t.ipuOfNode.push_back(m_ipu);
    if (!m_isUpdate) m_t.forwardOf.push_back(m_forward);
  }

  // Views are made again from what is loaded.
  void markStored(const std::string& name) {
    const auto maker = m_maker.find(name);
    if (maker == m_maker.end()) return;
    if (isView(m_old[maker->second])) return markStored(m_old[maker->second].inputs[0]);
    if (numerics::elementCount(m_t.model.graph.types.at(name).shape) >= kFewestElements) m_stored.insert(name);
  }

  void addTransfer(const char* op, const std::string& input, const std::string& buffer, const std::string& output,
                   const std::vector<std::string>& path) {
    const bool isParameter = std::find(m_t.parameters.begin(), m_t.parameters.end(), buffer) != m_t.parameters.end();
    Node node;
    node.opType = op;
    node.domain = kOwnDomain;
    node.opset = 1;
    node.name = (std::string(op) == "RemoteLoad" ? "load " : "store ") + buffer;
    node.inputs = {input};
    node.outputs = {output};
    node.path = {path.begin(), path.begin() + 1};
    node.attributes.set("buffer", buffer);
    if (m_shards > 1 && !isParameter) node.attributes.set("shards", m_shards);
    m_t.model.graph.types[output] = m_t.model.graph.types.at(input);
    append(std::move(node));
  }

  std::string loaded(const std::string& input, const std::string& buffer, const std::vector<std::string>& path) {
    const std::string name = "remote/" + m_section + "/" + buffer;
    if (m_loaded.insert(name).second) addTransfer("RemoteLoad", input, buffer, name, path);
    return name;
  }

  std::string activationFor(const std::string& name, const std::vector<std::string>& path) {
    if (m_stored.count(name)) return loaded("remote/stored/" + name, name, path);
    const auto maker = m_maker.find(name);
    if (maker == m_maker.end() || !isView(m_old[maker->second])) return name;
    const std::string base = activationFor(m_old[maker->second].inputs[0], path);
    if (base == m_old[maker->second].inputs[0]) return name;
    const std::string view = "remote/" + m_section + "/" + name;
    if (!m_loaded.insert(view).second) return view;
    Node again = m_old[maker->second];
    again.inputs[0] = base;
    again.outputs[0] = view;
    again.path = {path.begin(), path.begin() + 1};
    m_t.model.graph.types[view] = m_t.model.graph.types.at(name);
    append(std::move(again));
    return view;
  }

  void storeIfWanted(const std::string& output, bool forward, const std::vector<std::string>& path) {
    if (forward && m_stored.count(output)) addTransfer("RemoteStore", output, output, "remote/stored/" + output, path);
    for (auto& [variable, value] : m_t.written)
      if (value == output && m_t.remote.count(variable)) {
        value = "remote/new/" + variable;
        return addTransfer("RemoteStore", output, variable, value, path);
      }
  }

  TrainingModel& m_t;
  std::vector<Node>& m_nodes;
  std::vector<Node> m_old;
  std::unordered_map<std::string, std::size_t> m_maker; // forward node
  std::set<std::string> m_stored, m_loaded;
  std::vector<std::size_t> m_placeOf; // of each forward node among the new ones
  std::string m_section;
  std::size_t m_forward = 0;
  std::int64_t m_shards = 1; // of the state of the update at hand
  int m_ipu = 0;
  bool m_isUpdate = false;
};

} // namespace

void addOffload(TrainingModel& t, const Parallelism& p) {
  const bool activations = p.offloadActivations && p.stages == 0;
  if (!p.offloadWeights && !p.offloadOptimiser && !activations) return;
  Offloading offloading(t);
  const std::set<std::string> parameters(t.parameters.begin(), t.parameters.end());
  for (const auto& [name, value] : t.variables) {
    if (value.count() < kFewestElements || name.find("/accumulator") != std::string::npos) continue;
    if (parameters.count(name) ? p.offloadWeights : p.offloadOptimiser) offloading.keepRemote(name);
  }
  if (activations) offloading.storeActivations();
  offloading.apply();
}

} // namespace simcore::model

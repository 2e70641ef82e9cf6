#include "simcore/placement/parallelism.h"

#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph_builder.h"

#include "reports/core/units.h"

#include <algorithm>

namespace simcore::model {

namespace {

// Values with fewer elements, or with fewer elements per tile, are not worth a transfer.
constexpr std::int64_t kFewestElements = 1024, kFewestOnTile = 4;
// The state of all parameters that share a transfer takes at most this many bytes on a tile.
constexpr std::int64_t kGroupBytesOnTile = 16 * 1024, kFewestGroups = 8;

class Offloading {
public:
  explicit Offloading(TrainingModel& t) : m_t(t), m_nodes(t.model.graph.nodes), m_old(std::move(m_nodes)) { m_nodes.clear(); }

  void keepRemote(const std::string& variable) { m_t.remote.insert(variable); }
  // Groups the state that consecutive updates of one IPU read. With `halfState`, state in half precision has separate groups,
  // because a buffer has one type.
  void groupState(std::int64_t mostBytes, bool halfState) {
    std::map<int, std::int64_t> total; // by IPU
    for (std::size_t i = m_t.microBatchNodes; i < m_old.size(); ++i) total[m_t.ipuOfNode[i]] += stateOf(i).bytes;
    std::string open;
    std::int64_t bytes = 0;
    int ipu = -1;
    for (std::size_t i = m_t.microBatchNodes; i < m_old.size(); ++i) {
      const State state = stateOf(i);
      if (state.names.empty()) continue;
      const std::int64_t most = std::min(mostBytes, total[m_t.ipuOfNode[i]] / kFewestGroups);
      const std::int64_t shards = m_old[i].attributes.integer("shards", 1);
      if (open.empty() || ipu != m_t.ipuOfNode[i] || m_t.remoteGroups.at(open).shards != shards || bytes + state.bytes > most) {
        open = "state" + std::to_string(m_t.remoteGroups.size()) + firstOf(i);
        bytes = 0;
        ipu = m_t.ipuOfNode[i];
      }
      bytes += state.bytes;
      m_t.remoteGroups[open].shards = shards;
      for (const std::string& name : state.names) {
        const std::string group = halfState && isHalfState(name) ? open + "half" : open;
        m_t.remoteGroups[group].shards = shards;
        m_t.remoteGroups[group].variables.push_back(name);
        m_groupOf[name] = group;
        m_lastOf[group] = i;
      }
    }
  }
  void storeActivations() {
    for (std::size_t i = 0; i < m_t.forwardNodes; ++i)
      for (const std::string& name : m_old[i].outputs)
        if (!name.empty()) m_maker[name] = i;
    for (std::size_t i = m_t.forwardNodes; i < m_t.microBatchNodes; ++i)
      for (const std::string& name : namesReadBy(m_old[i])) markStored(name);
  }

  void apply() {
    const std::vector<std::size_t> forwardOf = std::move(m_t.forwardOf);
    const std::vector<int> ipus = std::move(m_t.ipuOfNode), stages = std::move(m_t.stageOfNode);
    m_t.forwardOf.clear();
    m_t.ipuOfNode.clear();
    m_t.stageOfNode.clear();
    const std::size_t forward = m_t.forwardNodes, micro = m_t.microBatchNodes;
    for (std::size_t i = 0; i < m_old.size(); ++i) {
      if (i == forward) m_t.forwardNodes = m_nodes.size();
      if (i == micro) m_t.microBatchNodes = m_nodes.size();
      m_ipu = ipus[i];
      m_isUpdate = i >= micro;
      m_stage = m_isUpdate ? 0 : stages[i];
      m_forward = m_isUpdate ? 0 : forwardOf[i];
      m_section = (i < forward ? "fwd" : i < micro ? "bwd" : "wu") + std::to_string(m_isUpdate ? m_ipu : m_stage);
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
      for (const auto& [group, last] : m_lastOf)
        if (last == i) storeGroup(group);
    }
    if (micro == m_old.size()) m_t.microBatchNodes = m_nodes.size();
    // The indices in forwardOf are from before the loads and stores were inserted.
    for (std::size_t& origin : m_t.forwardOf) origin = m_placeOf.at(origin);
  }

private:
  // Optimiser state that an update keeps in streaming memory, without the parameters; bytes on one replica.
  struct State {
    std::vector<std::string> names;
    std::int64_t bytes = 0;
  };
  State stateOf(std::size_t update) const {
    State state;
    const std::int64_t shards = m_old[update].attributes.integer("shards", 1);
    for (const std::string& name : m_old[update].inputs) {
      if (!m_t.remote.count(name) || m_t.isParameter(name)) continue;
      const numerics::HostTensor& value = m_t.variables.at(name);
      state.names.push_back(name);
      state.bytes += reports::ceilDiv(value.count(), shards) * std::int64_t(numerics::deviceSize(value.type()));
    }
    return state;
  }

  // " from embeddings.words.weight": names the first variable of a group. The name has no slash, because a slash begins another
  // part of the operation's name.
  std::string firstOf(std::size_t update) const {
    for (std::string name : m_old[update].inputs) {
      if (!m_t.isParameter(name)) continue;
      std::replace(name.begin(), name.end(), '/', '.');
      return " from " + name;
    }
    return {};
  }

  void append(Node node) {
    m_nodes.push_back(std::move(node));
    m_t.ipuOfNode.push_back(m_ipu);
    if (m_isUpdate) return;
    m_t.forwardOf.push_back(m_forward);
    m_t.stageOfNode.push_back(m_stage);
  }

  // Marks a value to be stored. For a view, the viewed value is stored, and the view is made again after the load.
  void markStored(const std::string& name) {
    const auto maker = m_maker.find(name);
    if (maker == m_maker.end()) return;
    if (operatorFor(m_old[maker->second]).has(kView)) return markStored(m_old[maker->second].inputs[0]);
    if (numerics::elementCount(m_t.model.graph.types.at(name).shape) >= kFewestElements) m_stored.insert(name);
  }

  void addTransfer(const char* op, const std::string& buffer, std::vector<std::string> inputs, std::vector<std::string> outputs,
                   const std::string& pass, std::int64_t shards) {
    Node node;
    node.opType = op;
    node.domain = kOwnDomain;
    node.opset = 1;
    node.name = (std::string(op) == "RemoteLoad" ? "load " : "store ") + buffer;
    node.path = {pass};
    node.attributes.set("buffer", buffer);
    if (shards > 1) node.attributes.set("shards", shards);
    for (std::size_t i = 0; i < outputs.size(); ++i) m_t.model.graph.types[outputs[i]] = m_t.model.graph.types.at(inputs[i]);
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    append(std::move(node));
  }
  void addTransfer(const char* op, const std::string& input, const std::string& buffer, const std::string& output,
                   const std::vector<std::string>& path) {
    addTransfer(op, buffer, {input}, {output}, path.front(), m_t.isParameter(buffer) ? 1 : m_shards);
  }
  void addGroupTransfer(const char* op, const std::string& group, std::vector<std::string> inputs,
                        std::vector<std::string> outputs) {
    addTransfer(op, group, std::move(inputs), std::move(outputs), "wu", m_t.remoteGroups.at(group).shards);
  }
  std::string loadedWithGroup(const std::string& variable) {
    const auto nameOf = [&](const std::string& v) { return "remote/" + m_section + "/" + v; };
    const std::string& group = m_groupOf.at(variable);
    if (m_loaded.insert(group).second) {
      std::vector<std::string> outputs;
      for (const std::string& v : m_t.remoteGroups.at(group).variables) outputs.push_back(nameOf(v));
      addGroupTransfer("RemoteLoad", group, m_t.remoteGroups.at(group).variables, std::move(outputs));
    }
    return nameOf(variable);
  }
  void storeGroup(const std::string& group) {
    std::vector<std::string> inputs, outputs;
    for (const std::string& v : m_t.remoteGroups.at(group).variables)
      for (auto& [variable, value] : m_t.written)
        if (variable == v) {
          inputs.push_back(value);
          outputs.push_back(value = "remote/new/" + v);
        }
    addGroupTransfer("RemoteStore", group, std::move(inputs), std::move(outputs));
  }

  std::string loaded(const std::string& input, const std::string& buffer, const std::vector<std::string>& path) {
    if (m_isUpdate && m_groupOf.count(buffer)) return loadedWithGroup(buffer);
    const std::string name = "remote/" + m_section + "/" + buffer;
    if (m_loaded.insert(name).second) addTransfer("RemoteLoad", input, buffer, name, path);
    return name;
  }

  std::string activationFor(const std::string& name, const std::vector<std::string>& path) {
    if (m_stored.count(name)) return loaded("remote/stored/" + name, name, path);
    const auto maker = m_maker.find(name);
    if (maker == m_maker.end() || !operatorFor(m_old[maker->second]).has(kView)) return name;
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
      if (value == output && m_t.remote.count(variable) && !m_groupOf.count(variable)) {
        value = "remote/new/" + variable;
        return addTransfer("RemoteStore", output, variable, value, path);
      }
  }

  TrainingModel& m_t;
  std::vector<Node>& m_nodes;
  std::vector<Node> m_old;
  std::unordered_map<std::string, std::size_t> m_maker; // index of the forward node that makes a value
  std::set<std::string> m_stored, m_loaded;
  std::unordered_map<std::string, std::string> m_groupOf; // by variable of the state: the group that shares transfers
  std::map<std::string, std::size_t> m_lastOf;            // by group: the last update that writes it
  std::vector<std::size_t> m_placeOf;                     // by forward node: its index among the new nodes
  std::string m_section;
  std::size_t m_forward = 0;
  std::int64_t m_shards = 1; // of the state in the current update
  int m_ipu = 0, m_stage = 0;
  bool m_isUpdate = false;
};

} // namespace

void addOffload(TrainingModel& t, const Parallelism& p, std::int64_t tiles) {
  const bool activations = p.offloadActivations && p.stages == 0;
  if (!p.offloadWeights && !p.offloadOptimiser && !activations) return;
  Offloading offloading(t);
  for (const auto& [name, value] : t.variables) {
    if (value.count() < std::max(kFewestElements, kFewestOnTile * tiles) || name.find("/accumulator") != std::string::npos)
      continue;
    if (t.isParameter(name) ? p.offloadWeights : p.offloadOptimiser) offloading.keepRemote(name);
  }
  offloading.groupState(kGroupBytesOnTile * tiles, p.halfState);
  if (activations) offloading.storeActivations();
  offloading.apply();
}

} // namespace simcore::model

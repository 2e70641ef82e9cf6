#include "simcore/placement/node_costs.h"

#include "simcore/model/graph/evaluate.h"
#include "simcore/model/lowering/outline.h"
#include "simcore/placement/trial_lowering.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace simcore::model {

namespace {

// Bytes per compute set or exchange: its program and its vertices' state on a tile.
constexpr std::int64_t kCodeOfStep = 480;
// The same for the update of a weight, which shares most of its code with similar updates.
constexpr std::int64_t kCodeOfUpdate = 400;

// Bytes of the values that are live before each of these nodes, and after the last. A value for which `given` returns true is
// live from its first reader on. Other values that none of the nodes makes do not count.
std::vector<std::int64_t> aliveBytes(const Graph& graph, std::span<const Node> nodes, const TrialLowering& trial,
                                     const std::function<bool(const std::string&)>& given) {
  std::vector<std::int64_t> bytes(nodes.size() + 1, 0); // first the differences between nodes, then their sums
  std::unordered_map<std::string, std::size_t> madeBy, lastRead;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& name : namesReadBy(nodes[i])) {
      if (given(name)) madeBy.emplace(name, i);
      lastRead[name] = i;
    }
    for (const std::string& name : nodes[i].outputs) madeBy.emplace(name, i);
  }
  for (const auto& [name, maker] : madeBy) {
    const auto last = lastRead.find(name);
    const auto type = graph.types.find(name);
    if (last == lastRead.end() || last->second <= maker || type == graph.types.end()) continue;
    const std::int64_t size = trial.bytesOf(type->second);
    bytes[maker + 1] += size;
    if (last->second + 1 < bytes.size()) bytes[last->second + 1] -= size;
  }
  std::int64_t alive = 0;
  for (std::int64_t& change : bytes) change = alive += change;
  return bytes;
}

// For each node: cycles of a ladder's rail to transfer the values that are live before it.
std::vector<std::int64_t> crossingCycles(const std::vector<std::int64_t>& alive, const arch::Machine& machine, int ways) {
  const double bytesPerCycle = machine.link.bytesPerSecond * machine.link.linksPerPair / 2 / machine.clockHz;
  std::vector<std::int64_t> cycles;
  for (std::size_t i = 0; i + 1 < alive.size(); ++i) cycles.push_back(ways * std::int64_t(double(alive[i]) / bytesPerCycle));
  return cycles;
}

// Adds the cycles of host streams: an input counts on the IPU that reads it first, an output on the IPU that makes it. Assumes
// that streams do not overlap with work.
void addHostCycles(const Graph& graph, const TrialLowering& trial, const arch::Machine& machine,
                   std::vector<std::int64_t>& cycles) {
  if (machine.ioTiles > 0 && trial.options().overlapIo != OverlapIo::Off) return;
  const auto transfer = [&](const std::string& name) {
    const auto type = graph.types.find(name);
    if (type == graph.types.end()) return std::int64_t(0);
    return (machine.host.begin + machine.host.handshake + machine.host.end).value() +
           std::int64_t(double(trial.bytesOf(type->second)) / machine.host.bytesPerCycle);
  };
  std::set<std::string> inputs, outputs;
  for (const auto& input : graph.inputs) inputs.insert(input.name);
  for (const auto& output : graph.outputs) outputs.insert(output.name);
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    for (const std::string& name : namesReadBy(graph.nodes[i]))
      if (inputs.erase(name)) cycles[i] += transfer(name);
    for (const std::string& name : graph.nodes[i].outputs)
      if (outputs.erase(name)) cycles[i] += transfer(name);
  }
}

// NodeCosts::layerOf for the first `count` nodes.
std::vector<std::pair<std::size_t, std::size_t>> layersOf(const Graph& graph, std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> layers;
  std::vector<std::size_t> all(count);
  for (std::size_t i = 0; i < count; ++i) layers.push_back({all[i] = i, i});
  for (const RepeatedLayers& run : repeatedLayers(graph, all))
    for (const Layer& layer : run.layers)
      for (const std::size_t node : layer.nodes) layers[node] = {layer.nodes.front(), layer.nodes.back() + 1};
  return layers;
}

// Bytes of a constant; 0 for a single number and for names that are not constants.
NodeCosts::Weight constantBytes(const Graph& graph, const TrialLowering& trial, const std::string& name) {
  const auto constant = graph.initialisers.find(name);
  if (constant == graph.initialisers.end() || constant->second.count() < 2) return {};
  const std::int64_t bytes = trial.bytesOf(constant->second);
  return {{}, bytes, bytes, 0};
}

// Weights that the first `count` nodes read. `bytesOf` returns the bytes of a weight, and 0 for other values.
template<class BytesOf> std::vector<NodeCosts::Weight> weightsOf(const Graph& graph, std::size_t count, BytesOf bytesOf) {
  std::vector<NodeCosts::Weight> weights;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < count; ++i)
    for (const std::string& name : namesReadBy(graph.nodes[i])) {
      auto at = known.find(name);
      if (at == known.end()) {
        NodeCosts::Weight weight = bytesOf(name);
        if (weight.homeBytes == 0) continue;
        at = known.emplace(name, weights.size()).first;
        weights.push_back(std::move(weight));
      }
      std::vector<std::size_t>& readers = weights[at->second].readers;
      if (readers.empty() || readers.back() != i) readers.push_back(i);
    }
  return weights;
}

} // namespace

TrainingCosts::TrainingCosts(const TrainingModel& t, const arch::Machine& machine, const LoweringOptions& options,
                             const Parallelism& parallelism)
    : m_t(t), m_machine(machine), m_parallelism(parallelism), m_trial(t.model, machine, options) {
  for (const auto& [name, value] : m_t.variables) m_trial.addVariable(name, value);
  m_trial.addInputs();
  const auto& nodes = m_t.model.graph.nodes;
  m_costs.codeOf.resize(m_t.forwardNodes);
  m_costs.layerOf = layersOf(m_t.model.graph, m_t.forwardNodes);
  for (std::size_t i = 0; i < m_t.microBatchNodes; ++i) {
    m_costOf.push_back(m_trial.costOf(nodes[i]));
    for (const std::string& name : nodes[i].outputs)
      if (!name.empty()) m_maker[name] = i;
    addCode(m_t.forwardOf[i], m_costOf.back());
  }
  const auto alive = aliveBytes(m_t.model.graph, std::span(nodes).first(m_t.forwardNodes), m_trial,
                                [&](const std::string& name) { return isInput(name); });
  m_costs.crossing = crossingCycles(alive, m_machine, 2); // each forward transfer has a gradient of the same size in return
  for (std::size_t i = m_t.microBatchNodes; i < nodes.size(); ++i)
    for (const std::string& name : nodes[i].inputs) m_shards[name] = nodes[i].attributes.integer("shards", 1);
  m_costs.weights = weightsOf(m_t.model.graph, m_t.forwardNodes, [&](const std::string& name) { return bytesOfWeight(name); });
}

void TrainingCosts::addCode(std::size_t forward, const TrialLowering::Cost& cost) {
  if (m_costs.codeBytes.size() <= cost.kind) m_costs.codeBytes.resize(cost.kind + 1);
  m_costs.codeBytes[cost.kind] = cost.steps * kCodeOfStep * m_machine.tilesPerIpu;
  m_costs.codeOf[forward].push_back(cost.kind);
}

void TrainingCosts::assume(const std::vector<int>& partOfNode, Recompute recompute) {
  m_costs.last = passes(partOfNode, recompute);
  std::vector<int> withMoreBehind = partOfNode;
  ++withMoreBehind.back();
  m_costs.inner = passes(std::move(withMoreBehind), recompute);
}

NodeCosts::Passes TrainingCosts::passes(std::vector<int> stageOfNode, Recompute recompute) const {
  TrainingModel t = m_t;
  for (std::size_t i = 0; i < t.microBatchNodes; ++i) t.stageOfNode[i] = stageOfNode[t.forwardOf[i]];
  addRecomputation(t, recompute, m_parallelism.checkpoints, m_parallelism.stages > 0);
  const Graph& graph = t.model.graph;
  const auto all = std::span(graph.nodes).first(t.microBatchNodes);
  const auto none = [](const std::string&) { return false; };
  auto alive = aliveBytes(graph, all.first(t.forwardNodes), m_trial, none);
  alive.pop_back();
  const auto backward = aliveBytes(graph, all.subspan(t.forwardNodes), m_trial, none);
  alive.insert(alive.end(), backward.begin(), backward.end());
  NodeCosts::Passes passes;
  passes.cycles.assign(t.forwardNodes, 0);
  passes.temporaryBytes.assign(t.forwardNodes, 0);
  passes.keptBy.resize(t.forwardNodes);
  std::unordered_map<std::string, std::size_t> values;
  for (std::size_t i = 0; i < t.microBatchNodes; ++i) {
    const std::size_t forward = t.forwardOf[i];
    const TrialLowering::Cost cost = costOf(graph.nodes[i]);
    passes.cycles[forward] += cost.cycles;
    passes.temporaryBytes[forward] = std::max(passes.temporaryBytes[forward], alive[i] + cost.temporaryBytes);
    if (i >= t.forwardNodes) addKept(graph.nodes[i], forward, values, passes);
  }
  addHostCycles(graph, m_trial, m_machine, passes.cycles);
  return passes;
}

// Adds the values of the forward pass that a node of the backward pass reads.
void TrainingCosts::addKept(const Node& node, std::size_t forward, std::unordered_map<std::string, std::size_t>& values,
                            NodeCosts::Passes& passes) const {
  for (const std::string& name : namesReadBy(node)) {
    const auto maker = m_maker.find(name);
    if (!isInput(name) && (maker == m_maker.end() || maker->second >= m_t.forwardNodes)) continue;
    const auto [value, isNew] = values.emplace(name, passes.keptBytes.size());
    const auto type = m_t.model.graph.types.find(name);
    if (isNew) passes.keptBytes.push_back(type == m_t.model.graph.types.end() ? 0 : m_trial.bytesOf(type->second));
    passes.keptBy[forward].push_back(value->second);
  }
}

// A recomputed node costs the same as in the forward pass.
TrialLowering::Cost TrainingCosts::costOf(const Node& node) const {
  static constexpr std::string_view kAgain = "recompute/";
  for (const std::string& name : node.outputs) {
    if (name.empty()) continue;
    const auto itself = m_maker.find(name);
    if (itself != m_maker.end()) return m_costOf[itself->second];
    if (name.starts_with(kAgain))
      if (const auto first = m_maker.find(name.substr(kAgain.size())); first != m_maker.end()) return m_costOf[first->second];
  }
  return {};
}

// The number of replicas that share the state of this variable.
std::int64_t TrainingCosts::shardsOf(const std::string& variable) const {
  const auto shards = m_shards.find(variable);
  return shards == m_shards.end() ? 1 : shards->second;
}

// The bytes of a weight; its readers are not set.
NodeCosts::Weight TrainingCosts::bytesOfWeight(const std::string& name) const {
  const auto variable = m_t.variables.find(name);
  if (variable == m_t.variables.end() || !m_t.isParameter(name)) return constantBytes(m_t.model.graph, m_trial, name);
  const auto bytesOf = [&](const numerics::HostTensor& value, bool follows) {
    return follows ? m_trial.bytesOf(value) : value.count() * std::int64_t(numerics::deviceSize(value.type()));
  };
  std::int64_t copy = m_parallelism.offloadWeights ? 0 : m_trial.bytesOf(variable->second), state = 0;
  for (auto v = std::next(variable); v != m_t.variables.end() && v->first.starts_with(name); ++v) {
    if (v->first[name.size()] != '/') continue;
    if (v->first.find("/accumulator") != std::string::npos)
      copy += bytesOf(v->second, m_parallelism.halfSums);
    else
      state += reports::ceilDiv(bytesOf(v->second, m_parallelism.halfState && isHalfState(v->first)), shardsOf(v->first));
  }
  const bool isAway = m_parallelism.offloadOptimiser;
  const std::int64_t update = kCodeOfUpdate * m_machine.tilesPerIpu;
  return {{}, copy + update + (isAway ? 0 : state), copy, isAway ? state : 0};
}

NodeCosts costsOf(const Model& model, const arch::Machine& machine, const LoweringOptions& options) {
  TrialLowering trial(model, machine, options);
  trial.addInputs();
  const Graph& graph = model.graph;
  NodeCosts costs;
  const auto alive =
      aliveBytes(graph, graph.nodes, trial, [&](const std::string& name) { return model.inputTypes.count(name) != 0; });
  costs.inner.keptBy.resize(graph.nodes.size());
  costs.layerOf = layersOf(graph, graph.nodes.size());
  for (const Node& node : graph.nodes) {
    const TrialLowering::Cost cost = trial.costOf(node);
    costs.inner.cycles.push_back(cost.cycles);
    costs.inner.temporaryBytes.push_back(alive[costs.inner.temporaryBytes.size()] + cost.temporaryBytes);
    costs.codeOf.push_back({cost.kind});
    if (costs.codeBytes.size() <= cost.kind) costs.codeBytes.resize(cost.kind + 1);
    costs.codeBytes[cost.kind] = cost.steps * kCodeOfStep * machine.tilesPerIpu;
  }
  addHostCycles(graph, trial, machine, costs.inner.cycles);
  costs.last = costs.inner;
  costs.crossing = crossingCycles(alive, machine, 1);
  costs.weights =
      weightsOf(graph, graph.nodes.size(), [&](const std::string& name) { return constantBytes(graph, trial, name); });
  return costs;
}

} // namespace simcore::model

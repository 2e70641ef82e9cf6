#include "simcore/model/placement/sharding.h"

#include "reports/core/error.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/outline.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace simcore::model {

using graph::Program;
using graph::ProgramNode;

namespace {

// Of the memory of an IPU; the rest is for activations, code and exchange buffers.
constexpr double kWeightShare = 0.6;
constexpr std::size_t kCrossingLimits = 12;
// A cut may be slower than the fastest by one part in so many, if its fullest IPU holds less.
constexpr std::int64_t kSlower = 25;

std::int64_t supersteps(const graph::Graph& g, const graph::ComputeSet& set) {
  const std::int64_t workers = g.machine().tile.workers;
  std::int64_t longest = 0;
  for (const auto& run : set.runs) {
    const auto& type = g.vertexTypes()[run.type];
    const bool worker = type.kind == graph::Codelet::Kind::Worker;
    const std::int64_t cycles = worker ? reports::ceilDiv(run.perTile, workers) * workers * run.cycles : run.perTile * run.cycles;
    longest = std::max(longest, cycles + type.launchCycles);
  }
  return longest;
}

// A quick look at what a program costs on one IPU: enough to weigh nodes against each other.
std::int64_t cyclesOf(const graph::Graph& g, const ProgramNode& program) {
  const auto& fabric = g.machine().exchange;
  switch (program.kind) {
  case ProgramNode::Kind::Execute: return supersteps(g, g.computeSet(program.computeSet));
  case ProgramNode::Kind::Rearrange:
    return fabric.internalSync.value() + fabric.baseLatency.value() + program.copyCycles.max() +
           std::int64_t(double(std::max(program.traffic.bytesIn.max(), program.traffic.bytesOut.max())) / fabric.bytesPerCycle);
  default: break;
  }
  std::int64_t cycles = 0;
  for (const Program& child : program.children) cycles += cyclesOf(g, *child);
  return program.kind == ProgramNode::Kind::Repeat ? cycles * program.count : cycles;
}

struct NodeCosts {
  std::vector<std::int64_t> cycles, weightBytes;
  // Before each node and behind the last: bytes of values that are alive there, if a pipeline of training keeps them for the
  // backward pass; and whether a layer that repeats ends there. Empty: nothing is kept.
  std::vector<std::int64_t> keptBytes;
  std::vector<bool> layerEnds;
  std::vector<std::int64_t> crossing; // by node: cycles on the links for what nodes before it give to it and later ones
};

// Bytes of values that are alive where a cut before each node would be.
std::vector<std::int64_t> aliveBytes(const Model& model, const LoweringScope& scope) {
  const auto& nodes = model.graph.nodes;
  std::vector<std::int64_t> bytes(nodes.size() + 1, 0); // changes from node to node, then sums
  std::unordered_map<std::string, std::size_t> madeBy, lastRead;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& name : namesReadBy(nodes[i])) {
      if (model.inputTypes.count(name)) madeBy.emplace(name, i); // an input begins at its first reader
      lastRead[name] = i;
    }
    for (const std::string& name : nodes[i].outputs) madeBy.emplace(name, i);
  }
  for (const auto& [name, maker] : madeBy) {
    const auto last = lastRead.find(name);
    const auto type = model.graph.types.find(name);
    if (last == lastRead.end() || last->second <= maker || type == model.graph.types.end()) continue;
    const std::int64_t size =
        numerics::elementCount(type->second.shape) * std::int64_t(numerics::deviceSize(scope.deviceType(type->second.type)));
    bytes[maker + 1] += size;
    if (last->second + 1 < bytes.size()) bytes[last->second + 1] -= size;
  }
  std::int64_t alive = 0;
  for (std::int64_t& change : bytes) change = alive += change;
  return bytes;
}
// The same in cycles of a rail of the ladder.
std::vector<std::int64_t> crossingCycles(const Model& model, const LoweringScope& scope, const arch::Machine& machine) {
  const double bytesPerCycle = machine.link.bytesPerSecond * machine.link.linksPerPair / 2 / machine.clockHz;
  std::vector<std::int64_t> cycles;
  for (const std::int64_t bytes : aliveBytes(model, scope)) cycles.push_back(std::int64_t(double(bytes) / bytesPerCycle));
  cycles.pop_back();
  return cycles;
}

// Cycles of inputs and outputs on the IPU that reads the one first or makes the other; nothing beside the work.
void addHostCycles(const Model& model, const LoweringScope& scope, const arch::Machine& machine,
                   std::vector<std::int64_t>& cycles) {
  if (machine.ioTiles > 0 && scope.options().overlapIo != OverlapIo::Off) return;
  const auto transfer = [&](const std::string& name) {
    const auto type = model.graph.types.find(name);
    if (type == model.graph.types.end()) return std::int64_t(0);
    const auto bytes =
        numerics::elementCount(type->second.shape) * std::int64_t(numerics::deviceSize(scope.deviceType(type->second.type)));
    return (machine.host.begin + machine.host.handshake + machine.host.end).value() +
           std::int64_t(double(bytes) / machine.host.bytesPerCycle);
  };
  std::set<std::string> inputs, outputs;
  for (const auto& input : model.graph.inputs) inputs.insert(input.name);
  for (const auto& output : model.graph.outputs) outputs.insert(output.name);
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    for (const std::string& name : namesReadBy(model.graph.nodes[i]))
      if (inputs.erase(name)) cycles[i] += transfer(name);
    for (const std::string& name : model.graph.nodes[i].outputs)
      if (outputs.erase(name)) cycles[i] += transfer(name);
  }
}

// Lowers nodes one by one on one IPU. A node like an earlier one costs what that did; its results then lie linearly.
class Trial {
public:
  Trial(const Model& model, arch::Machine machine, const LoweringOptions& options)
      : m_model(model), m_options(options), m_load(emptyWorkload(model, onlyOne(std::move(machine)))),
        m_scope(model.graph, nullptr, *m_load.graph, m_load.graph->addContext({}, m_load.name, "model", ""), m_options) {
    m_options.ipuOfNode.clear();
  }
  LoweringScope& scope() { return m_scope; }
  const graph::Graph& graph() const { return *m_load.graph; }
  void inputs() {
    const auto nowhere = [&](int) -> graph::Sequence& { return m_unused; };
    m_scope.lowerInputs(m_model, m_load, nowhere, nowhere);
  }
  void variable(const std::string& name, const numerics::HostTensor& value) {
    m_scope.keepVariable(name, m_load.graph->addVariable(m_scope.deviceType(value.type()), value.shape(), name), m_unused);
  }

  std::int64_t cyclesOfNode(const Node& node) {
    const std::string signature = nodeSignature(m_model.graph, node);
    const auto known = m_known.find(signature);
    if (!signature.empty() && known != m_known.end() && known->second > 0) {
      for (const std::string& name : node.outputs) {
        if (name.empty()) continue;
        const TensorType& type = m_scope.type(name);
        const auto tensor = m_load.graph->addVariable(m_scope.deviceType(type.type), type.shape, name);
        ops::OpBuilder(*m_load.graph, m_unused, m_scope.context()).mapLinearly(tensor);
        m_scope.set(name, tensor);
      }
      m_scope.wasRead(node);
      return known->second;
    }
    graph::Sequence program;
    m_scope.lowerNodes(std::span<const Node>(&node, 1), program, false);
    return m_known[signature] = cyclesOf(*m_load.graph, *program.program());
  }

private:
  static arch::Machine onlyOne(arch::Machine machine) {
    machine.ipus = machine.replicas = 1;
    return machine;
  }

  const Model& m_model;
  LoweringOptions m_options;
  graph::Workload m_load;
  LoweringScope m_scope;
  graph::Sequence m_unused;
  std::map<std::string, std::int64_t> m_known;
};

std::int64_t deviceBytes(const LoweringScope& scope, const numerics::HostTensor& value) {
  return value.count() * std::int64_t(numerics::deviceSize(scope.deviceType(value.type())));
}

NodeCosts costsOf(const Model& model, const arch::Machine& machine, const LoweringOptions& options) {
  Trial trial(model, machine, options);
  trial.inputs();
  NodeCosts costs;
  std::set<std::string> seen;
  for (const Node& node : model.graph.nodes) {
    costs.cycles.push_back(trial.cyclesOfNode(node));
    costs.weightBytes.push_back(0);
    for (const std::string& name : namesReadBy(node)) {
      const auto weight = model.graph.initialisers.find(name);
      if (weight == model.graph.initialisers.end() || weight->second.count() < 2 || !seen.insert(name).second) continue;
      costs.weightBytes.back() += deviceBytes(trial.scope(), weight->second);
    }
  }
  addHostCycles(model, trial.scope(), machine, costs.cycles);
  costs.crossing = crossingCycles(model, trial.scope(), machine);
  return costs;
}

// By forward node; what crosses forward comes back as a gradient of the same size.
NodeCosts costsOf(const TrainingModel& t, const arch::Machine& machine, const LoweringOptions& options) {
  Trial trial(t.model, machine, options);
  for (const auto& [name, value] : t.variables) trial.variable(name, value);
  trial.inputs();
  NodeCosts costs;
  costs.cycles.assign(t.forwardNodes, 0);
  costs.weightBytes.assign(t.forwardNodes, 0);
  for (std::size_t i = 0; i < t.microBatchNodes; ++i) costs.cycles[t.forwardOf[i]] += trial.cyclesOfNode(t.model.graph.nodes[i]);
  std::map<std::string, std::int64_t> bytesOf; // parameter, its sum and its state
  for (const std::string& name : t.parameters)
    for (auto v = t.variables.lower_bound(name); v != t.variables.end() && v->first.starts_with(name); ++v)
      if (v->first == name)
        bytesOf[name] += deviceBytes(trial.scope(), v->second);
      else if (v->first[name.size()] == '/') // floats whatever the precision
        bytesOf[name] += v->second.count() * std::int64_t(numerics::deviceSize(v->second.type()));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < t.forwardNodes; ++i)
    for (const std::string& name : namesReadBy(t.model.graph.nodes[i])) {
      const auto bytes = bytesOf.find(name);
      if (bytes == bytesOf.end()) continue;
      // Another reader may be on another IPU, with a copy and a sum but no state of its own.
      costs.weightBytes[i] += seen.insert(name).second ? bytes->second : 2 * deviceBytes(trial.scope(), t.variables.at(name));
    }
  Model forward = t.model;
  forward.graph.nodes.resize(t.forwardNodes);
  addHostCycles(forward, trial.scope(), machine, costs.cycles);
  costs.crossing = crossingCycles(forward, trial.scope(), machine);
  for (std::int64_t& cycles : costs.crossing) cycles *= 2;
  costs.keptBytes = aliveBytes(forward, trial.scope());
  costs.layerEnds.assign(t.forwardNodes + 1, false);
  std::vector<std::size_t> all(t.forwardNodes);
  std::iota(all.begin(), all.end(), 0);
  for (const RepeatedLayers& layers : repeatedLayers(forward.graph, all))
    for (std::size_t end = layers.begin; end <= layers.end; end += layers.layers[0].nodes.size()) costs.layerEnds[end] = true;
  return costs;
}

struct Limits {
  std::int64_t cycles = 0, crossing = 0, memory = 0;
};

// Micro-batches whose values stage p of `parts` keeps until its backward pass: 2 (parts - 1 - p) + 1, none in the last
// (ops::StageRoutes).
std::int64_t keptEntries(std::size_t p, int parts) {
  const std::int64_t later = parts - 1 - std::int64_t(p);
  return later > 0 ? 2 * later + 1 : 0;
}

// Cuts into exactly `parts` stretches of which none is over the limits; empty if there is no such cut. Which ends stretch p
// can have follows from those of stretch p - 1.
std::vector<int> cutBelow(const NodeCosts& costs, int parts, const Limits& limits) {
  const std::size_t nodes = costs.cycles.size();
  std::vector<std::vector<int>> beginOf(std::size_t(parts) + 1, std::vector<int>(nodes + 1, -1)); // of the stretch before an end
  beginOf[0][0] = 0;
  for (std::size_t p = 0; p < std::size_t(parts); ++p)
    for (std::size_t begin = p; begin < nodes; ++begin) {
      if (beginOf[p][begin] < 0) continue;
      std::int64_t cycles = 0, bytes = 0;
      const bool keeps = !costs.keptBytes.empty();
      const std::int64_t entries = keptEntries(p, parts);
      if (keeps && begin > 0) bytes += entries * costs.keptBytes[begin];
      for (std::size_t end = begin + 1; end <= nodes; ++end) {
        cycles += costs.cycles[end - 1];
        bytes += costs.weightBytes[end - 1];
        if (cycles > limits.cycles || bytes > limits.memory) break;
        if (keeps && end < nodes && costs.layerEnds[end]) bytes += entries * costs.keptBytes[end];
        // A layer that is cut keeps what is alive at the cut.
        const std::int64_t cut = keeps && end < nodes && !costs.layerEnds[end] ? entries * costs.keptBytes[end] : 0;
        if (bytes + cut > limits.memory) continue;
        if (end == nodes || costs.crossing[end] <= limits.crossing) beginOf[p + 1][end] = int(begin);
      }
    }
  if (beginOf.back()[nodes] < 0) return {};
  std::vector<int> of(nodes);
  std::size_t end = nodes;
  for (int p = parts; p-- > 0;) {
    const std::size_t begin = std::size_t(beginOf[std::size_t(p) + 1][end]);
    std::fill(of.begin() + std::ptrdiff_t(begin), of.begin() + std::ptrdiff_t(end), p);
    end = begin;
  }
  return of;
}

// A cycle of a pipeline is its slowest stage, then its fullest link: the cut with the least sum of both. Few limits of what
// may cross are tried, from the least that allows enough cuts to any.
struct Cut {
  std::vector<int> ipuOfNode; // empty: there is none
  std::int64_t cycles = INT64_MAX;
};
Cut bestCut(const NodeCosts& costs, int parts, std::int64_t all, std::int64_t memory) {
  std::vector<std::int64_t> crossings(costs.crossing.begin() + 1, costs.crossing.end());
  std::sort(crossings.begin(), crossings.end());
  if (crossings.empty()) crossings = {0}; // a single node
  const std::size_t first = std::min(crossings.size() - 1, std::size_t(std::max(0, parts - 2)));
  std::vector<int> best;
  std::int64_t least = INT64_MAX;
  for (std::size_t i = 0; i <= kCrossingLimits; ++i) {
    Limits limits{all, crossings[first + (crossings.size() - 1 - first) * i / kCrossingLimits], memory};
    std::vector<int> found = cutBelow(costs, parts, limits);
    if (found.empty()) continue;
    std::int64_t low = all / parts, high = all;
    while (low + low / 512 < high && low + limits.crossing < least) {
      limits.cycles = low + (high - low) / 2;
      if (std::vector<int> cut = cutBelow(costs, parts, limits); !cut.empty()) {
        found = std::move(cut);
        high = limits.cycles;
      } else {
        low = limits.cycles + 1;
      }
    }
    if (high + limits.crossing >= least) continue;
    least = high + limits.crossing;
    best = std::move(found);
  }
  return {std::move(best), least};
}

Sharding withSums(std::vector<int> ipuOfNode, int ipus, const NodeCosts& costs) {
  Sharding s;
  s.ipuOfNode = std::move(ipuOfNode);
  s.cycles.assign(std::size_t(ipus), 0);
  s.weightBytes.assign(std::size_t(ipus), 0);
  for (std::size_t i = 0; i < s.ipuOfNode.size() && !costs.cycles.empty(); ++i) {
    s.cycles[std::size_t(s.ipuOfNode[i])] += costs.cycles[i];
    s.weightBytes[std::size_t(s.ipuOfNode[i])] += costs.weightBytes[i];
  }
  return s;
}

Sharding balanced(const NodeCosts& costs, const arch::Machine& machine, int ipus, const std::string& file) {
  if (int(costs.cycles.size()) < ipus)
    throw Error(ErrorCode::InvalidInput,
                "the model has " + std::to_string(costs.cycles.size()) + " nodes, which cannot be cut into " +
                    std::to_string(ipus) + " parts",
                file, "use fewer IPUs for each replica");
  std::int64_t all = 0, weights = 0;
  for (const std::int64_t c : costs.cycles) all += c;
  for (const std::int64_t w : costs.weightBytes) weights += w;
  const std::int64_t memory = std::int64_t(kWeightShare * double(machine.tile.memory.value()) * machine.tilesPerIpu);
  // Bytes that are kept count as many times as the first stage has entries; no limit always works.
  std::int64_t kept = 0;
  for (const std::int64_t bytes : costs.keptBytes) kept += bytes * 2 * ipus;
  for (const std::int64_t limit : {memory, weights + kept}) {
    Cut best = bestCut(costs, ipus, all, limit);
    if (best.ipuOfNode.empty()) continue;
    // Of cuts about as fast the one whose fullest IPU has least to hold.
    const std::int64_t slowest = best.cycles + best.cycles / kSlower;
    for (std::int64_t less = limit - limit / 16; !costs.keptBytes.empty(); less -= less / 16) {
      Cut cut = bestCut(costs, ipus, all, less);
      if (cut.ipuOfNode.empty() || cut.cycles > slowest) break;
      best = std::move(cut);
    }
    return withSums(std::move(best.ipuOfNode), ipus, costs);
  }
  throw Error(ErrorCode::Internal, "no cut was found", file);
}
} // namespace

Sharding shard(const Model& model, const arch::Machine& machine, int ipus, const LoweringOptions& options) {
  if (model.graph.nodes.empty()) return withSums({}, std::max(1, ipus), {});
  return balanced(costsOf(model, machine, options), machine, ipus, model.file);
}

Sharding shardTraining(const TrainingModel& training, const arch::Machine& machine, int ipus, const LoweringOptions& options) {
  return balanced(costsOf(training, machine, options), machine, ipus, training.model.file);
}

Sharding shardAt(const Model& model, const std::vector<std::string>& firstNodes) {
  std::vector<int> ipuOfNode;
  std::size_t next = 0;
  for (const Node& node : model.graph.nodes) {
    const auto is = [&](const std::string& name) {
      return node.name == name || std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end();
    };
    if (next < firstNodes.size() && is(firstNodes[next])) ++next;
    ipuOfNode.push_back(int(next));
  }
  if (next < firstNodes.size())
    throw Error(ErrorCode::InvalidInput,
                "no node is called '" + firstNodes[next] + "'" + (next ? " after '" + firstNodes[next - 1] + "'" : ""),
                model.file, "name the first node of every part but the first, in the order of the model");
  if (!ipuOfNode.empty() && ipuOfNode.front() != 0)
    throw Error(ErrorCode::InvalidInput, "the first part has no node: '" + firstNodes[0] + "' is the model's first", model.file);
  return withSums(std::move(ipuOfNode), int(firstNodes.size()) + 1, {});
}

} // namespace simcore::model

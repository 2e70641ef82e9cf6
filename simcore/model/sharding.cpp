#include "simcore/model/sharding.h"

#include "reports/core/error.h"
#include "simcore/model/evaluate.h"
#include "simcore/model/lowering_scope.h"

#include <algorithm>

namespace simcore::model {

using graph::Program;
using graph::ProgramNode;
using reports::Error;
using reports::ErrorCode;

namespace {

// Of the memory of an IPU; the rest is for activations, code and exchange buffers.
constexpr double kWeightShare = 0.6;

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
};

NodeCosts costsOf(const Model& model, arch::Machine machine, LoweringOptions options) {
  machine.ipus = machine.replicas = 1;
  options.ipuOfNode.clear();
  graph::Workload load = emptyWorkload(model, machine);
  graph::Graph& g = *load.graph;
  LoweringScope scope(model.graph, nullptr, g, g.addContext({}, load.name, "model", ""), options);
  graph::Sequence streams;
  scope.lowerInputs(model, load, [&](int) -> graph::Sequence& { return streams; });
  NodeCosts costs;
  std::set<std::string> seen;
  const std::span<const Node> nodes(model.graph.nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    graph::Sequence program;
    scope.lowerNodes(nodes.subspan(i, 1), program, false);
    costs.cycles.push_back(cyclesOf(g, *program.program()));
    costs.weightBytes.push_back(0);
    for (const std::string& name : namesReadBy(nodes[i])) {
      const auto weight = model.graph.initialisers.find(name);
      if (weight == model.graph.initialisers.end() || weight->second.count() < 2 || !seen.insert(name).second) continue;
      costs.weightBytes.back() += weight->second.count() * std::int64_t(numerics::deviceSize(scope.deviceType(weight->second.type())));
    }
  }
  return costs;
}

// Cuts so that no stretch costs more than `most` cycles and `memory` bytes; empty if that takes more than `parts` stretches.
std::vector<int> cutBelow(const NodeCosts& costs, int parts, std::int64_t most, std::int64_t memory) {
  std::vector<int> of;
  std::int64_t cycles = 0, bytes = 0;
  int part = 0;
  const int nodes = int(costs.cycles.size());
  for (int i = 0; i < nodes; ++i) {
    const std::int64_t c = costs.cycles[std::size_t(i)], w = costs.weightBytes[std::size_t(i)];
    const bool full = cycles + c > most || bytes + w > memory;
    const bool lastChance = nodes - i == parts - 1 - part; // one node each for the parts to come
    const bool begun = i > 0 && of.back() == part;
    if (begun && (full || lastChance)) {
      ++part;
      cycles = bytes = 0;
    }
    if (part >= parts || cycles + c > most) return {};
    cycles += c;
    bytes += w;
    of.push_back(part);
  }
  return of;
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

} // namespace

Sharding shard(const Model& model, const arch::Machine& machine, int ipus, const LoweringOptions& options) {
  const std::size_t nodes = model.graph.nodes.size();
  if (int(nodes) < ipus)
    throw Error(ErrorCode::InvalidInput, "the model has " + std::to_string(nodes) + " nodes, which cannot be cut into " + std::to_string(ipus) + " parts", model.file,
                "use fewer IPUs for each replica");
  const NodeCosts costs = costsOf(model, machine, options);
  std::int64_t all = 0, weights = 0;
  for (const std::int64_t c : costs.cycles) all += c;
  for (const std::int64_t w : costs.weightBytes) weights += w;
  const std::int64_t memory = std::int64_t(kWeightShare * double(machine.tile.memory.value()) * machine.tilesPerIpu);
  for (const std::int64_t limit : {memory, weights}) { // the second always works: no limit
    std::int64_t low = all / ipus, high = all;
    std::vector<int> best = cutBelow(costs, ipus, high, limit);
    if (best.empty()) continue;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (std::vector<int> cut = cutBelow(costs, ipus, middle, limit); !cut.empty()) {
        best = std::move(cut);
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return withSums(std::move(best), ipus, costs);
  }
  throw Error(ErrorCode::Internal, "no cut was found", model.file);
}

Sharding shardAt(const Model& model, const std::vector<std::string>& firstNodes) {
  std::vector<int> ipuOfNode;
  std::size_t next = 0;
  for (const Node& node : model.graph.nodes) {
    const auto is = [&](const std::string& name) { return node.name == name || std::find(node.outputs.begin(), node.outputs.end(), name) != node.outputs.end(); };
    if (next < firstNodes.size() && is(firstNodes[next])) ++next;
    ipuOfNode.push_back(int(next));
  }
  if (next < firstNodes.size())
    throw Error(ErrorCode::InvalidInput, "no node is called '" + firstNodes[next] + "'" + (next ? " after '" + firstNodes[next - 1] + "'" : ""), model.file,
                "name the first node of every IPU but the first, in the order of the model");
  if (!ipuOfNode.empty() && ipuOfNode.front() != 0) throw Error(ErrorCode::InvalidInput, "the first IPU has no node: '" + firstNodes[0] + "' is the model's first", model.file);
  return withSums(std::move(ipuOfNode), int(firstNodes.size()) + 1, {});
}

} // namespace simcore::model

#include "simcore/placement/sharding.h"

#include "reports/core/error.h"
#include "simcore/placement/node_costs.h"

#include <algorithm>
#include <set>

namespace simcore::model {

using ops::CutWish;
using ops::FoundCut;

namespace {

// The search begins with an even cut and is repeated this often, because each cut recomputes other nodes.
constexpr int kSearches = 3;

CutWish checkedWish(CutWish wish, std::size_t nodes, const arch::Machine& machine, const std::string& file) {
  if (int(nodes) < wish.ipus)
    throw Error(ErrorCode::InvalidInput,
                "the model has " + std::to_string(nodes) + " nodes, which cannot be cut into " + std::to_string(wish.ipus) +
                    " parts",
                file, "use fewer IPUs for each replica");
  wish.memoryBytes = machine.tile.memory.value() * (machine.tilesPerIpu - machine.ioTiles);
  return wish;
}

Sharding shardingOf(FoundCut cut, const NodeCosts& costs, int ipus) {
  Sharding s;
  s.cycles.assign(std::size_t(ipus), 0);
  s.weightBytes = s.cycles;
  const int lastPart = cut.partOfNode.back();
  for (std::size_t i = 0; i < costs.nodes(); ++i) {
    const int part = cut.partOfNode[i], ipu = cut.ipuOfPart[std::size_t(part)];
    s.ipuOfNode.push_back(ipu);
    s.cycles[std::size_t(ipu)] += (part == lastPart ? costs.last : costs.inner).cycles[i];
  }
  for (const NodeCosts::Weight& weight : costs.weights) {
    std::set<int> on;
    for (const std::size_t reader : weight.readers)
      if (const int ipu = s.ipuOfNode[reader]; on.insert(ipu).second)
        s.weightBytes[std::size_t(ipu)] += on.size() == 1 ? weight.homeBytes : weight.copyBytes;
  }
  s.stageOfNode = std::move(cut.partOfNode);
  return s;
}

} // namespace

Sharding shard(const Model& model, const arch::Machine& machine, int ipus, const LoweringOptions& options,
               const Parallelism& parallelism) {
  if (model.graph.nodes.empty()) return {};
  const CutWish wish = checkedWish({.ipus = ipus,
                                    .memoryBytes = 0,
                                    .isTraining = false,
                                    .isPipeline = parallelism.stages > 0,
                                    .microBatches = parallelism.microBatchesOfStep()},
                                   model.graph.nodes.size(), machine, model.file);
  const NodeCosts costs = costsOf(model, machine, options);
  return shardingOf(searchCut(costs, wish), costs, ipus);
}

Sharding shardTraining(const TrainingModel& training, const arch::Machine& machine, int ipus, const LoweringOptions& options,
                       const Parallelism& parallelism) {
  CutWish wish = checkedWish({.ipus = ipus,
                              .memoryBytes = 0,
                              .isTraining = true,
                              .isPipeline = parallelism.stages > 0,
                              .microBatches = parallelism.microBatches()},
                             training.forwardNodes, machine, training.model.file);
  TrainingCosts costs(training, machine, options, parallelism);
  const auto found = [&](Recompute recompute) {
    std::vector<int> partOfNode;
    for (std::size_t i = 0; i < training.forwardNodes; ++i)
      partOfNode.push_back(int(i * std::size_t(ipus) / training.forwardNodes));
    FoundCut cut;
    for (int search = 0; search < kSearches; ++search) {
      costs.assume(partOfNode, recompute);
      cut = searchCut(costs.costs(), wish);
      if (cut.partOfNode == partOfNode) break;
      partOfNode = cut.partOfNode;
    }
    return cut;
  };
  // Recomputation is meant to save memory. But the last IPU recomputes least, so the fastest cut would give it more of the model,
  // and its fullest tile would hold more bytes than without recomputation.
  if (parallelism.recompute != Recompute::None) wish.bytesToKeep = found(Recompute::None).mostBytes;
  FoundCut cut = found(parallelism.recompute);
  return shardingOf(std::move(cut), costs.costs(), ipus);
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
    throw Error(ErrorCode::InvalidInput, "the first part has no node: '" + firstNodes[0] + "' is the model's first node",
                model.file);
  Sharding s;
  s.ipuOfNode = std::move(ipuOfNode);
  return s;
}

} // namespace simcore::model

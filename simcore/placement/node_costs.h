// Costs of a model's forward nodes, from a trial lowering of each node. The search of a cut needs them (ops/plan/cut_search.h).
#pragma once

#include "simcore/ops/plan/cut_search.h"
#include "simcore/placement/parallelism.h"
#include "simcore/placement/trial_lowering.h"

#include <unordered_map>
#include <vector>

namespace simcore::model {

using ops::NodeCosts;

NodeCosts costsOf(const Model& model, const arch::Machine& machine, const LoweringOptions& options);

// Costs of a training step. Which nodes are recomputed depends on the cut, and the cut depends on the costs, so costs are
// computed for a given cut.
class TrainingCosts {
public:
  // `parallelism` sets the recomputation, and the place and size of gradient sums and optimiser state.
  TrainingCosts(const TrainingModel& training, const arch::Machine& machine, const LoweringOptions& options,
                const Parallelism& parallelism);

  const NodeCosts& costs() const { return m_costs; }
  // Assumes a cut of the forward nodes into these parts, which determines the recomputed nodes.
  void assume(const std::vector<int>& partOfNode, Recompute recompute);

private:
  bool isInput(const std::string& name) const { return m_t.model.inputTypes.count(name) != 0; }
  void addCode(std::size_t forward, const TrialLowering::Cost& cost);
  void addKept(const Node& node, std::size_t forward, std::unordered_map<std::string, std::size_t>& values,
               NodeCosts::Passes& passes) const;
  NodeCosts::Passes passes(std::vector<int> stageOfNode, Recompute recompute) const;
  TrialLowering::Cost costOf(const Node& node) const;
  std::int64_t shardsOf(const std::string& variable) const;
  NodeCosts::Weight bytesOfWeight(const std::string& name) const;

  const TrainingModel& m_t;
  const arch::Machine& m_machine;
  const Parallelism& m_parallelism;
  TrialLowering m_trial;
  NodeCosts m_costs;
  std::vector<TrialLowering::Cost> m_costOf;              // by node of a micro-batch
  std::unordered_map<std::string, std::size_t> m_maker;   // by value: the node of a micro-batch that makes it
  std::unordered_map<std::string, std::int64_t> m_shards; // by variable
};

} // namespace simcore::model

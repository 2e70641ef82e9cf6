// Costs of the forward nodes of a model on an IPU of a cut: cycles of a micro-batch and bytes. Bytes of what nodes share (a weight, a kept
// value, code) count once on an IPU, however many of its nodes need it, so they are listed and not summed up.
#pragma once

#include "simcore/model/placement/parallelism.h"
#include "simcore/model/placement/trial_lowering.h"

#include <unordered_map>
#include <vector>

namespace simcore::model {

struct NodeCosts {
  // Nodes with their gradients, and what is computed again for these.
  struct Passes {
    std::vector<std::int64_t> cycles; // by forward node
    std::vector<std::int64_t>
        temporaryBytes; // by forward node: most that is alive while it or its gradient runs, beside what is kept
    // Values that the backward pass of a node reads, each once for every micro-batch that is under way.
    std::vector<std::vector<std::size_t>> keptBy; // by forward node: values
    std::vector<std::int64_t> keptBytes;          // by value
  };
  Passes inner; // in a part with others behind it
  Passes last;  // in the last part, which goes back at once

  // Code by forward node: kinds of nodes that are lowered alike.
  std::vector<std::vector<std::size_t>> codeOf;
  std::vector<std::int64_t> codeBytes; // by kind
  // The layer that repeats and that a node belongs to: its first node and the one behind its last. A node of no layer has itself twice.
  // A part with some nodes of a layer needs code of their own for them.
  std::vector<std::pair<std::size_t, std::size_t>> layerOf;

  struct Weight {
    std::vector<std::size_t> readers; // forward nodes, in their order
    std::int64_t homeBytes = 0;       // with sum and state, on the IPU of the first reader
    std::int64_t copyBytes = 0;       // on another IPU: it has a copy and a sum of its own
    std::int64_t updateBytes = 0;     // at home during the update: state from streaming memory
  };
  std::vector<Weight> weights;

  std::vector<std::int64_t> crossing; // by node: cycles on the links for what nodes before it give to it and later ones

  std::size_t nodes() const { return inner.cycles.size(); }
};

NodeCosts costsOf(const Model& model, const arch::Machine& machine, const LoweringOptions& options);

// Of a training step. Recomputed nodes depend on the cut, and the cut on the costs: so the costs are given for a cut.
class TrainingCosts {
public:
  // `parallelism` says what is computed again, and which sums and states are on the chip and how large.
  TrainingCosts(const TrainingModel& training, const arch::Machine& machine, const LoweringOptions& options,
                const Parallelism& parallelism);

  const NodeCosts& costs() const { return m_costs; }
  // Assumes a cut into these parts of the forward nodes: it decides which nodes are recomputed.
  void assume(const std::vector<int>& partOfNode);

private:
  bool isInput(const std::string& name) const { return m_t.model.inputTypes.count(name) != 0; }
  void addCode(std::size_t forward, const TrialLowering::Cost& cost);
  void addKept(const Node& node, std::size_t forward, std::unordered_map<std::string, std::size_t>& values,
               NodeCosts::Passes& passes) const;
  NodeCosts::Passes passes(std::vector<int> stageOfNode) const;
  TrialLowering::Cost costOf(const Node& node) const;
  std::int64_t shardsOf(const std::string& variable) const;
  NodeCosts::Weight bytesOfWeight(const std::string& name) const;

  const TrainingModel& m_t;
  const arch::Machine& m_machine;
  const Parallelism& m_parallelism;
  TrialLowering m_trial;
  NodeCosts m_costs;
  std::vector<TrialLowering::Cost> m_costOf;              // by node of a micro-batch
  std::unordered_map<std::string, std::size_t> m_maker;   // node of a micro-batch by value
  std::unordered_map<std::string, std::int64_t> m_shards; // by variable
};

} // namespace simcore::model

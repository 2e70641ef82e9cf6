// Lowers the nodes of a model one by one on one IPU and returns their costs. A node with the same signature as an earlier one
// (nodeSignature()) gets its costs and is not lowered again; its results are then mapped linearly.
#pragma once

#include "simcore/model/lowering/lowering_scope.h"

#include <map>

namespace simcore::model {

class TrialLowering {
public:
  TrialLowering(const Model& model, arch::Machine machine, const LoweringOptions& options);

  struct Cost {
    std::int64_t cycles = 0;
    std::int64_t temporaryBytes = 0; // estimated bytes of results, partial sums and rearranged operands
    std::int64_t steps = 0;          // compute sets and exchanges, as a measure of its code
    std::size_t kind = 0;            // equal for nodes with the same lowering
  };
  // Call this for the nodes in the order of the model.
  Cost costOf(const Node& node);

  void addInputs();
  void addVariable(const std::string& name, const numerics::HostTensor& value);
  // The bytes of a value on the machine.
  std::int64_t bytesOf(const TensorType& type) const;
  std::int64_t bytesOf(const numerics::HostTensor& value) const { return bytesOf(TensorType{value.type(), value.shape()}); }
  const LoweringOptions& options() const { return m_options; }

private:
  const Model& m_model;
  LoweringOptions m_options;
  graph::Workload m_load;
  LoweringScope m_scope;
  graph::Sequence m_unused;
  std::map<std::string, Cost> m_known; // by signature
  std::size_t m_kinds = 0;
};

} // namespace simcore::model

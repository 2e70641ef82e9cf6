// Lowers the nodes of a model one by one on one IPU and returns their costs. A node with the signature of an earlier one (nodeSignature()) has
// the same costs and is not lowered again; its results are then mapped linearly.
#pragma once

#include "simcore/model/lowering/lowering_scope.h"

#include <map>

namespace simcore::model {

class TrialLowering {
public:
  TrialLowering(const Model& model, arch::Machine machine, const LoweringOptions& options);

  struct Cost {
    std::int64_t cycles = 0;
    std::int64_t temporaryBytes = 0; // of results, partial sums and rearranged operands, estimated
    std::int64_t steps = 0;          // compute sets and exchanges, a measure of its code
    std::size_t kind = 0;            // equal for nodes with the same lowering
  };
  // Nodes come in the order of the model.
  Cost costOf(const Node& node);

  void addInputs();
  void addVariable(const std::string& name, const numerics::HostTensor& value);
  // Bytes on the machine.
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

#include "simcore/prepare/observe_types.h"

#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/node_work.h"
#include "simcore/numerics/host_memory.h"

#include <unordered_set>

namespace simcore::model {

ObservedTypes observeTypes(const Model& model, const std::unordered_map<std::string, HostTensor>& inputs, std::stop_token stop) {
  const numerics::MemoryAllowance allowance(foldableBytes(model.graph));
  ObservedTypes types;
  EvaluationOptions options;
  options.stop = std::move(stop);
  std::unordered_set<std::string> several; // values in subgraphs whose types differ between executions
  options.mostWork = kMostObservedWork;
  options.advice = "its shapes depend on its numbers: make it smaller, or give sizes as constants";
  options.observesSubgraphs = true;
  options.observe = [&](const Node& node, const Tensors& results) {
    for (std::size_t i = 0; i < node.outputs.size() && i < results.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      const TensorType type{results[i].type(), results[i].shape()};
      const auto [known, isNew] = types.emplace(node.outputs[i], type);
      if (!isNew && (known->second.type != type.type || known->second.shape != type.shape)) several.insert(node.outputs[i]);
    }
  };
  evaluate(model, inputs, options);
  for (const std::string& name : several) types.erase(name);
  return types;
}

} // namespace simcore::model

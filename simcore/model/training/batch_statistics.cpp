#include "simcore/model/training/batch_statistics.h"

#include "simcore/model/graph/graph_builder.h"

namespace simcore::model {

void keepBatchStatistics(Graph& graph) {
  GraphBuilder builder(graph);
  for (Node& node : graph.nodes) {
    if (node.opType != "BatchNormalization" || !node.domain.empty() || node.outputs.size() > kMean || node.outputs[0].empty() ||
        !node.attributes.integer("training_mode", 0))
      continue;
    node.opType = kBatchNormTraining;
    node.domain = kOwnDomain;
    node.opset = 1;
    node.outputs.resize(kMean);
    const TensorType statistic{graph.types.at(node.inputs[0]).type, graph.types.at(node.inputs[1]).shape};
    for (const char* what : {"mean", "inverseDeviation", "factor", "shift"}) {
      node.outputs.push_back(builder.unique(node.outputs[0] + "/" + what));
      builder.declare(node.outputs.back(), statistic);
    }
  }
}

std::optional<Node> withKeptStatistics(const Node& node) {
  if (node.opType != kBatchNormTraining || node.domain != kOwnDomain) return {};
  Node again = node;
  again.opType = "BatchNormApply";
  again.inputs = {node.inputs[0], node.outputs[kFactor], node.outputs[kShift]};
  again.outputs.resize(1);
  again.attributes = {};
  return again;
}

} // namespace simcore::model

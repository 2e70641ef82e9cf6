#include "simcore/model/training/batch_statistics.h"

#include "simcore/model/graph/graph_builder.h"

namespace simcore::model {

namespace {

void keepGroupStatistics(GraphBuilder& builder, Graph& graph, Node& node) {
  const TensorType x = graph.types.at(node.inputs[0]);
  if (node.outputs[0].empty() || graph.types.at(node.inputs[1]).shape != numerics::Shape{x.shape[1]}) return;
  node.opType = kGroupNormTraining;
  node.domain = kOwnDomain;
  node.opset = 1;
  node.outputs.resize(1);
  for (const char* what : {"sum", "inverseDeviation"}) {
    node.outputs.push_back(builder.unique(node.outputs[0] + "/" + what));
    builder.declare(node.outputs.back(), {x.type, {x.shape[0], node.attributes.integer("num_groups", 1)}});
  }
}

} // namespace

void keepBatchStatistics(Graph& graph) {
  GraphBuilder builder(graph);
  for (Node& node : graph.nodes) {
    if (node.opType == "GroupNormalization") keepGroupStatistics(builder, graph, node);
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

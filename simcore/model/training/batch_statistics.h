// Statistics of batch norms in training: computed once, in the forward pass. The backward pass and recomputation read them.
#pragma once

#include "simcore/model/graph/graph.h"

#include <optional>

namespace simcore::model {

// A batch norm in training as the operator that gives its statistics too: ai.tilescope BatchNormTraining(x, scale, bias, mean, variance),
// with the attributes and outputs of BatchNormalization, and these of every channel: mean, inverse deviation,
// factor = scale / deviation and shift = bias - mean factor.
inline constexpr const char* kBatchNormTraining = "BatchNormTraining";
enum BatchNormOutput : std::size_t { kMean = 3, kInverseDeviation, kFactor, kShift, kBatchNormOutputs };

// A group norm in training: ai.tilescope GroupNormTraining(x, scale, bias) with the attributes of GroupNormalization gives its
// result, and the sum and inverse deviation of every group of every sample, [N, groups]. The gradient reads these (TensorFlow's
// PopnnGroupNormGrad and PopART's GroupNormGradOp take mean and deviation). If the norm is recomputed, they are recomputed too,
// because TensorFlow's pipelines recompute all of a stage (pipeline_recomputation.cc).
inline constexpr const char* kGroupNormTraining = "GroupNormTraining";

// Makes all that train such nodes. The types of the graph are known.
void keepBatchStatistics(Graph& graph);
// The node for the recomputation of such a node: it uses the statistics of the first time, as in XLA. Empty for any other node.
std::optional<Node> withKeptStatistics(const Node& node);

} // namespace simcore::model

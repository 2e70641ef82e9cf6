// Statistics of batch norms in training: computed once, in the forward pass. The backward pass and recomputation read them.
#pragma once

#include "simcore/model/graph/graph.h"

#include <optional>

namespace simcore::model {

// A batch norm in training as an operator that also returns its statistics: ai.tilescope BatchNormTraining(x, scale, bias, mean,
// variance), with the attributes and outputs of BatchNormalization, plus for every channel: mean, inverse deviation, factor =
// scale / deviation and shift = bias
// - mean factor.
inline constexpr const char* kBatchNormTraining = "BatchNormTraining";
enum BatchNormOutput : std::size_t { kMean = 3, kInverseDeviation, kFactor, kShift, kBatchNormOutputs };

// A group norm in training: ai.tilescope GroupNormTraining(x, scale, bias) with the attributes of GroupNormalization returns its
// result, and the sum and inverse deviation of every group of every sample, [N, groups]. The gradient reads these (TensorFlow's
// PopnnGroupNormGrad and PopART's GroupNormGradOp take mean and deviation). If the norm is recomputed, they are recomputed too,
// because TensorFlow's pipelines recompute a whole stage (pipeline_recomputation.cc).
inline constexpr const char* kGroupNormTraining = "GroupNormTraining";

// Converts all norms in training to nodes of these two operators. The types of the graph must be known.
void keepBatchStatistics(Graph& graph);
// The node that recomputes a batch norm in training: it reuses the first statistics, as in XLA. Empty for any other node.
std::optional<Node> withKeptStatistics(const Node& node);

} // namespace simcore::model

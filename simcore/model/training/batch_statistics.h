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

// A group norm in training: ai.tilescope GroupNormTraining(x, scale, bias) with the attributes of GroupNormalization gives, beside its
// result, the sum and the inverse deviation of every group of every sample, [N, groups]. The gradient reads them (TensorFlow's
// PopnnGroupNormGrad and PopART's GroupNormGradOp take mean and deviation). Where the norm is computed again, so are they, for
// TensorFlow's pipelines compute all of a stage again (pipeline_recomputation.cc).
inline constexpr const char* kGroupNormTraining = "GroupNormTraining";

// Makes all that train such nodes. The types of the graph are known.
void keepBatchStatistics(Graph& graph);
// How such a node is computed again: with the statistics that it gave the first time, as XLA does it. Empty for any other node.
std::optional<Node> withKeptStatistics(const Node& node);

} // namespace simcore::model

// Connectionist temporal classification: the loss for speech and handwriting, as in torch.nn.CTCLoss.
#pragma once

#include "simcore/model/graph/graph_builder.h"

namespace simcore::model {

struct CtcRequest {
  std::int64_t blank = 0;                  // class of the blank between labels
  std::optional<std::int64_t> ignoreIndex; // label that fills the end of shorter texts
};

// Appends the loss of each text, divided by its length, and the mean of these; returns the name of the mean. `scores` [steps,
// batch, classes] may have any scale, and all steps count. `labels` [batch, length] are Int64. Throws reports::Error:
// InvalidInput if a text is longer than the steps, Unsupported for more than 4,096 steps, because the graph is unrolled by step.
std::string addCtc(GraphBuilder& builder, const std::string& scores, const std::string& labels, const CtcRequest& request);

} // namespace simcore::model

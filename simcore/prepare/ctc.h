// Connectionist temporal classification: the loss for speech and handwriting, as in torch.nn.CTCLoss.
#pragma once

#include "simcore/model/graph/graph_builder.h"

namespace simcore::model {

struct CtcRequest {
  std::int64_t blank = 0;                  // class between labels
  std::optional<std::int64_t> ignoreIndex; // label after the end of a shorter text
};

// Appends the loss of each text, divided by its length, and their mean. `scores` [steps, batch, classes] of any scale, all steps count;
// `labels` [batch, length] of Int64. Gives the name of the scalar. Throws reports::Error(InvalidInput) if a text is longer than the
// steps, (Unsupported) beyond 4,096 steps: the graph is unrolled by step.
std::string addCtc(GraphBuilder& builder, const std::string& scores, const std::string& labels, const CtcRequest& request);

} // namespace simcore::model

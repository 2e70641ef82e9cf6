// Replaces calls of model-local functions by the functions' nodes, so that nothing after the reader knows of them.
#pragma once

#include "simcore/model/onnx/onnx_messages.h"

namespace simcore::model {

// Expands calls in the main graph and its subgraphs, functions calling functions included. Throws
// reports::Error(InvalidInput) for recursion and (Unsupported) when the expansion passes a million nodes.
void expandFunctions(onnx::ModelProto& model);

} // namespace simcore::model

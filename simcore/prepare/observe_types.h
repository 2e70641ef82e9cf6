// Finds the types of values that depend on the numbers of a run, by computing the model on the host.
#pragma once

#include "simcore/model/graph/resolve_types.h"

namespace simcore::model {

// The types of all values for these inputs, which must be all inputs of the model. In subgraphs, only types that are the same in
// every execution.
ObservedTypes observeTypes(const Model& model, const std::unordered_map<std::string, numerics::HostTensor>& inputs,
                           std::stop_token stop = {});

} // namespace simcore::model

// The types of values that depend on the numbers of a run, found by an evaluation on the host.
#pragma once

#include "simcore/model/graph/resolve_types.h"

namespace simcore::model {

// Types of all values for these inputs (all inputs of the model). For a subgraph, only the types that are equal in each execution.
ObservedTypes observeTypes(const Model& model, const std::unordered_map<std::string, numerics::HostTensor>& inputs,
                           std::stop_token stop = {});

} // namespace simcore::model

// Which opsets a standard operator is read in. What holds for all is kOldestOpset..kNewestOpset; a model outside may still use
// only operators whose form there is one we know, so the check is per node and its message names node, operator and opset.
#pragma once

#include "simcore/model/graph.h"

namespace simcore::model {

inline constexpr int kOldestOpset = 6, kNewestOpset = 17;

// Throws reports::Error(Unsupported) for a node of the standard domain whose form in its opset is not known here.
void requireKnownForm(const Node& node);

} // namespace simcore::model

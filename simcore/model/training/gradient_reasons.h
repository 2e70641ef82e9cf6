// Why some operators have no gradient.
#pragma once

#include "simcore/model/graph/operator.h"

namespace simcore::model {

// Why this operator has no gradient; "" for one that has.
std::string whyNoGradient(const Operator& op);

} // namespace simcore::model

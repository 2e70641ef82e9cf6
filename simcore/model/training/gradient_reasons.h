// Explains why an operator has no gradient.
#pragma once

#include "simcore/model/graph/operator.h"

namespace simcore::model {

// The reason why this operator has no gradient; "" if it has one.
std::string whyNoGradient(const Operator& op);

} // namespace simcore::model

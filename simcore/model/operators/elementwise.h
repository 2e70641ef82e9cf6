// Functions of an element, each told once: the table in elementwise.cpp has a line for every function, with its host kernel,
// the steps of its codelet (whose cycles are those of simcore/codelets/op_costs.h), its gradient and what passes may do with it.
#pragma once

#include "simcore/codelets/elementwise.h"
#include "simcore/model/graph/operator.h"

namespace simcore::model {

// The steps of the codelet for an element-wise operator; its parameters are immediates.
std::vector<codelets::MapStep> elementwiseSteps(const std::string& type, numerics::ElementType elements);

} // namespace simcore::model

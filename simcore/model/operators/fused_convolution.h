// The operator that fusion makes of a convolution and what follows it: ai.tilescope FusedConv(x, weights, bias?, addend?)
// with the attributes of Conv. `activation` names an operator applied last; its attributes travel as `activation.NAME`.
#pragma once

#include "simcore/model/operator.h"

namespace simcore::model {

inline constexpr const char* kActivation = "activation";

// Whether the node is an activation that a FusedConv may hold.
bool isFusibleActivation(const Node& node);
// The activation of a FusedConv as a node of its own, without names.
Node activationOf(const Node& fused);

} // namespace simcore::model

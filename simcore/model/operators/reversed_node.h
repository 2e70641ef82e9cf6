// Some gradients run the forward operator the other way round: MovementGrad and ResizeGrad carry it, with its opset and the
// shape to go back to, in their attributes. This is the one place that writes and reads them.
#pragma once

#include "simcore/model/training/gradient.h"

namespace simcore::model {

// Gives input 0 of the node the gradient that `gradientOperator` (of kOwnDomain) makes: the node's inputs with the incoming
// gradient in place of the first, and its attributes. Does nothing where no gradient of input 0 is asked for.
void giveReversed(const GradientCall& c, const char* gradientOperator);

// The forward operator that such a gradient node carries: operator, opset and attributes, without inputs and outputs.
Node forwardNode(const Call& gradient);

} // namespace simcore::model

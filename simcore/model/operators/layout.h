// Movements of elements: what operators of other families move, and gradients that run the forward operator the other way round.
// MovementGrad and ResizeGrad carry that operator, with its opset and the shape to go back to, in their attributes.
#pragma once

#include "simcore/model/operators/family.h"

namespace simcore::model {

// A new tensor from inputs `from` of the node, whose operator only moves elements, in runs of `run`; the first `movable` of them
// are what moves.
void giveMoved(NodeLowering& n, const std::vector<std::size_t>& from, std::int64_t run, std::size_t output = 0,
               std::size_t movable = SIZE_MAX, double fill = 0);
std::int64_t lastDimension(NodeLowering& n);
// Repeating, rearranging in blocks: only positions change, and only by what is known beforehand.
void lowerMove(NodeLowering& n);

// Gives input 0 of the node the gradient that `gradientOperator` (of kOwnDomain) makes: the node's inputs with the incoming
// gradient in place of the first, and its attributes. Does nothing where no gradient of input 0 is asked for.
void giveReversed(const GradientCall& c, const char* gradientOperator);
// Every element goes back to where it came from; those that were repeated are summed.
void moveBack(const GradientCall& c);
// The forward operator that such a gradient node carries: operator, opset and attributes, without inputs and outputs.
Node forwardNode(const Call& gradient);

} // namespace simcore::model

// How much a node would compute on the host, estimated from shapes before anything is allocated: a few numbers in a file can ask for
// any amount of work. It holds for numbers only; plans and cycles do not depend on it.
#pragma once

#include "simcore/model/graph/operator.h"

namespace simcore::model {

// Multiply-adds or comparisons, for operators whose work is not in proportion to the elements they read and write (products,
// convolutions, windows, determinants, pairs of boxes); 0 for all others and where the shapes do not fit the operator.
double hostWork(const Operator& op, const Call& call);

// Work for about a minute on two processors: nothing of that size is meant to be computed here.
inline constexpr double kMostWork = 0x1p41;
// The least work of a node in a loop, however small: four microseconds.
inline constexpr double kWorkOfANode = 0x1p19;
// Of a constant that is folded before the run.
inline constexpr double kMostFoldedWork = 0x1p35;

// Throws Error(InvalidInput) that tells the work of the node and what is computed at most.
[[noreturn]] void refuseWork(const Node& node, double work, double most);
// Throws if the node's work is more than `most`.
void requireAffordable(const Operator& op, const Call& call, double most);

// Throws Error(OutOfMemory) if what the node gives takes more than the host's memory that is free (numerics/host_memory.h). Call it
// before the node is computed: a kernel holds more than its results, which alone are counted. Nodes with subgraphs are passed over, for
// the nodes inside are asked one by one.
void requireRoom(const Operator& op, const Call& call);

// The same for the loops of a typed model: every round counts, where the number of rounds is known before the run.
void requireAffordableLoops(const Model& model);

// Throws Error(InvalidInput) naming the first node of a typed model with which its numbers are too many to be computed tile by tile:
// that takes tens of nanoseconds an element, and is for small graphs.
void requireSmallForVertices(const Model& model);

} // namespace simcore::model

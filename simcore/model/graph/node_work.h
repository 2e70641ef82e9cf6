// Work of a node on the host, estimated from shapes before anything is allocated, because a few numbers in a file can request any
// amount of work. The limits apply to numbers computed on the host; plans and cycles do not depend on them.
#pragma once

#include "simcore/model/graph/operator.h"

namespace simcore::model {

// Multiply-adds or comparisons, for operators whose work is not proportional to the elements they read and write (products,
// convolutions, windows, determinants, pairs of boxes); 0 for all others, and if the shapes do not fit the operator.
double hostWork(const Operator& op, const Call& call);

// Largest work of a node: about a minute on two processors.
inline constexpr double kMostWork = 0x1p41;
// Smallest work counted for a node in a loop: four microseconds.
inline constexpr double kWorkOfANode = 0x1p19;
// Largest work of a constant that is folded before the run.
inline constexpr double kMostFoldedWork = 0x1p35;

// Throws Error(InvalidInput) with the node's work and the limit `most`.
[[noreturn]] void refuseWork(const Node& node, double work, double most);
// Throws if the node's work is more than `most`.
void requireAffordable(const Operator& op, const Call& call, double most);

// Throws Error(OutOfMemory) if the results of the node need more than the free memory of the host (numerics/host_memory.h). Call it before the
// node is computed. Only results are counted, although a kernel uses more. Nodes with subgraphs are skipped, because their inner nodes are
// checked one by one.
void requireRoom(const Operator& op, const Call& call);

// The same for the loops of a typed model: every iteration counts, if their number is known before the run.
void requireAffordableLoops(const Model& model);

// Throws Error(InvalidInput) if a typed model is too large to compute tile by tile, which takes tens of nanoseconds per element.
// The error names the node at which the sum of elements exceeds the limit.
void requireSmallForVertices(const Model& model);

} // namespace simcore::model

// Work of a node on the host, estimated from shapes before anything is allocated, because a few numbers in a file can request any
// amount of work. The limits apply to numbers computed on the host; plans and cycles do not depend on them.
#pragma once

#include "simcore/model/graph/operator.h"

namespace simcore::model {

// The unit of work is the time of one multiply-add in a matrix product on two processors.

// Work of reading or writing an element: two nanoseconds of one processor.
inline constexpr double kWorkOfAnElement = 0x1p6;

// The number of elements of a shape from dimension `first` on, and of all inputs together.
double elementsOf(const Shape& shape, std::size_t first = 0);
double elementsRead(const Call& call);

// Work of any node: that of its elements plus workBeyondElements(). Counts only the inputs if the sizes of the results are unknown.
double hostWork(const Operator& op, const Call& call);
// Work of operators that is not in proportion to the elements they read and write (products, windows, sorts, recurrences, pairs
// of boxes …). 0 for all others, and for shapes that the operator does not accept.
double workBeyondElements(const Operator& op, const Call& call);

// Largest work of all nodes together: about a minute on two processors.
inline constexpr double kMostWork = 0x1p41;
// Smallest work counted for a node in a loop: four microseconds.
inline constexpr double kWorkOfANode = 0x1p19;
// Limits of the work of constant folding before the run: for one constant, and for all of them. Reading and writing elements does
// not count; memory limits elements.
inline constexpr double kMostFoldedWork = 0x1p35, kMostWorkOfFolding = 0x1p37;
// Largest work of computing a model's numbers if its shapes depend on them, whether or not the run has numbers.
inline constexpr double kMostObservedWork = 0x1p38;

// Throws Error(InvalidInput) if `work`, or `before` and `work` together, are more than `most`.
void requireAffordable(const Node& node, double before, double work, double most, const char* advice);

// Throws Error(OutOfMemory) if the results of the node need more than the free memory of the host (numerics/host_memory.h). Call
// it before the node is computed. Only results are counted, although a kernel uses more. Nodes with subgraphs are skipped,
// because their inner nodes are checked one by one.
void requireRoom(const Operator& op, const Call& call);

} // namespace simcore::model

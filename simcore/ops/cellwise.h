// The numbers of an op computed the way its plan cuts it: every cell takes only the values its plan says it has, and only what
// cells put together becomes the result. Slow, for small machines: it proves plans and mappings right, because a cell that is
// missing, doubled or short of input gives a wrong number (graph::Graph::setVertexByVertex).
#pragma once

#include "simcore/numerics/reduce.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// The values inside a box of a row-major tensor, as a tensor of the box's shape; and back. The box must lie inside.
numerics::HostTensor takeBox(const numerics::HostTensor& tensor, const graph::Box& box);
void putBox(numerics::HostTensor& tensor, const graph::Box& box, const numerics::HostTensor& part);
// Adds float values.
void addBox(numerics::HostTensor& tensor, const graph::Box& box, const numerics::HostTensor& part);

// An element-wise kernel applied to each cell of `layout` (any grid over as many elements as `shape`); inputs that broadcast
// are expanded first.
HostKernel cellwiseMap(HostKernel kernel, Distribution layout, Shape shape, ElementType outputType);

// A reduction over `axes` of a tensor of `shape`: cells reduce what they hold, then partial results are combined.
HostKernel cellwiseReduce(numerics::ReduceKind kind, Distribution layout, Shape shape, std::vector<std::size_t> axes,
                          bool keepDims);

} // namespace simcore::ops

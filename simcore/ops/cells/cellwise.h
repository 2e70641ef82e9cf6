// Computes the numbers of an op cell by cell, as cut by its plan: a cell reads only the values that the plan gives it, and the
// result consists only of cells. This is slow and for small machines. It checks plans and mappings, because a missing or
// duplicate cell, or one without all its input, gives a wrong number (graph::Graph::setVertexByVertex).
#pragma once

#include "simcore/numerics/reduce.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// takeBox() returns the elements inside a box of a row-major tensor, as a tensor of the box's shape; putBox() replaces them. The
// box must be inside the tensor.
numerics::HostTensor takeBox(const numerics::HostTensor& tensor, const graph::Box& box);
void putBox(numerics::HostTensor& tensor, const graph::Box& box, const numerics::HostTensor& part);
// Adds float values to a box of the tensor.
void addBox(numerics::HostTensor& tensor, const graph::Box& box, const numerics::HostTensor& part);

// An element-wise kernel applied to each cell of `layout` (any grid with the element count of `shape`); inputs that broadcast are
// expanded first. `immediates` are constants inside the codelet, passed to the kernel after the inputs.
HostKernel cellwiseMap(HostKernel kernel, Distribution layout, Shape shape, ElementType outputType,
                       std::vector<numerics::HostTensor> immediates = {});

// A kernel for vertices that depend on the positions of their elements: `positions` are indices into the flattened tensor.
using PositionKernel =
    std::function<numerics::HostTensor(const std::vector<numerics::HostTensor>& inputs, const std::vector<int64_t>& positions)>;
// A kernel that computes f(inputs, position) for each position.
template<class F> PositionKernel eachPosition(F f) {
  return [f = std::move(f)](const std::vector<numerics::HostTensor>& inputs, const std::vector<int64_t>& positions) {
    std::vector<double> out;
    out.reserve(positions.size());
    for (const int64_t at : positions) out.push_back(double(f(inputs, at)));
    return numerics::HostTensor::vector(out);
  };
}
// Every cell gets each input completely (they are small, or the caller's vertices scan them) and computes its elements.
HostKernel cellwiseGenerate(PositionKernel kernel, Distribution layout, Shape shape, ElementType outputType);
// Positions of a box's elements in the flattened tensor of `shape`.
std::vector<int64_t> positionsOf(const Shape& shape, const graph::Box& box);

// Moves elements as the kernel `where` does, which computes nothing else. `where` runs on position numbers instead of values: the
// elements of the first `movable` inputs are counted from 1 (0 means `fill`), other inputs are unchanged. Then every cell of `to`
// fetches its elements from the cells of `from` that have them.
HostKernel cellwiseMove(HostKernel where, std::vector<Distribution> from, std::size_t movable, Distribution to, Shape shape,
                        double fill);

// A reduction over `axes` of a tensor of `shape`: each cell reduces its elements, partial results are combined `group` at a time
// (1: without this stage), then the last stage combines the rest.
HostKernel cellwiseReduce(numerics::ReduceKind kind, Distribution layout, Shape shape, const std::vector<std::size_t>& axes,
                          bool keepDims, int64_t group);

} // namespace simcore::ops

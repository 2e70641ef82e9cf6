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
// are expanded first. `immediates` are constants inside the codelet, given to the kernel after the inputs.
HostKernel cellwiseMap(HostKernel kernel, Distribution layout, Shape shape, ElementType outputType,
                       std::vector<numerics::HostTensor> immediates = {});

// The same where a vertex has to know which elements it makes: `positions` counts them in the flattened tensor.
using PositionKernel =
    std::function<numerics::HostTensor(const std::vector<numerics::HostTensor>& inputs, const std::vector<int64_t>& positions)>;
// f(inputs, position) for each position.
template<class F> PositionKernel eachPosition(F f) {
  return [f = std::move(f)](const std::vector<numerics::HostTensor>& inputs, const std::vector<int64_t>& positions) {
    std::vector<double> out;
    out.reserve(positions.size());
    for (const int64_t at : positions) out.push_back(double(f(inputs, at)));
    return numerics::HostTensor::vector(out);
  };
}
// Every cell gets the whole of each input (they are small, or the caller's vertices scan them) and gives its elements.
HostKernel cellwiseGenerate(PositionKernel kernel, Distribution layout, Shape shape, ElementType outputType);
// Positions of the elements of a box in the flattened tensor of `shape`.
std::vector<int64_t> positionsOf(const Shape& shape, const graph::Box& box);

// Elements that move: `where` is a kernel that only moves elements. It is run on the positions of the first `movable` inputs,
// counted from 1 over all of them (0 is no element: `fill`), and the other inputs as they are; then every cell of `to`
// fetches what lands in it from the cells of `from` that hold it.
HostKernel cellwiseMove(HostKernel where, std::vector<Distribution> from, std::size_t movable, Distribution to, Shape shape,
                        double fill);

// A reduction over `axes` of a tensor of `shape`: cells reduce what they hold, partial results are combined `group` at a time
// (1: there is no stage in between), then those.
HostKernel cellwiseReduce(numerics::ReduceKind kind, Distribution layout, Shape shape, const std::vector<std::size_t>& axes,
                          bool keepDims, int64_t group);

} // namespace simcore::ops

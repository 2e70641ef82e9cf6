// Ops that move elements into a new tensor, or compute each element on its own tile: transposes, pads, gathers, resizes. (Slices,
// concats and reshapes are views and cost nothing until they are read.)
#pragma once

#include "simcore/ops/cells/cellwise.h"

namespace simcore::ops {

// A new tensor of `shape` whose elements come from `inputs` in an order that only the kernel
// knows: every tile fetches its share and orders it with on-tile copies of `runElements`
// neighbours each. Vertex by vertex, `kernel` runs on positions (cellwiseMove): only the
// first `movable` inputs move; elements without a source are `fill`.
struct Movement {
  HostKernel kernel;
  std::size_t movable = SIZE_MAX;
  double fill = 0;
  // Elements move in blocks of `blockRows` x `blockColumns` that vertices transpose; 0 without such blocks.
  int64_t blockRows = 0, blockColumns = 0;
  // For one input whose elements each go to one position: the box of the input that fills a box of the result. `placeKey`
  // identifies it.
  std::function<graph::Box(const graph::Box&)> placeOf = {};
  std::vector<int64_t> placeKey = {};
};
Tensor move(const OpBuilder& builder, const std::string& name, const std::vector<Tensor>& inputs, ElementType type,
            const Shape& shape, int64_t runElements, const Movement& movement);
Tensor transpose(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& order);
// Every tile computes its linear share of the elements from its part of the inputs; an element takes `cyclesPerElement` worker
// cycles. `cells` computes vertex by vertex; without it only `kernel` computes.
Tensor generate(const OpBuilder& builder, const std::string& name, const std::vector<Tensor>& inputs, ElementType type,
                const Shape& shape, int64_t cyclesPerElement, HostKernel kernel, PositionKernel cells = {});

} // namespace simcore::ops

// Ops that only move elements into a new tensor: transposes, pads, gathers, resizes. (Slices, concats and reshapes are views
// and cost nothing until somebody reads them.)
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// A new tensor of `shape` whose elements come from `inputs` in an order only the kernel knows: every tile fetches its share
// and puts it in place with on-tile copies of `runElements` neighbours each.
Tensor move(const OpBuilder& builder, const std::string& name, const std::vector<Tensor>& inputs, ElementType type,
            const Shape& shape, int64_t runElements, HostKernel kernel);
Tensor transpose(const OpBuilder& builder, const Tensor& x, const std::vector<std::size_t>& order);
// Rows of `table` picked by `indices` (embedding lookup): popops multiSlice.
Tensor gatherRows(const OpBuilder& builder, const Tensor& table, const Tensor& indices, const Shape& shape, HostKernel kernel);
// For operators without a planner of their own: each output element costs `cyclesPerElement` worker cycles on linear shares.
Tensor generic(const OpBuilder& builder, const std::string& name, const std::vector<Tensor>& inputs, ElementType type,
               const Shape& shape, int64_t cyclesPerElement, HostKernel kernel);

} // namespace simcore::ops

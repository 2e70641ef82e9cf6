// Transfers between host and machine. Large tensors are moved in rows: a loop moves one row at a time through a small variable,
// because the code of a host transfer grows with its bytes (a third of them for uploads) and would become larger than the data.
// Machines may reserve tiles of every IPU for the host (Machine::ioTiles, PopART's numIOTiles): a model is lowered into a virtual
// graph of the other tiles, so planners do not see them, and a transfer uses a buffer on them.
#pragma once

#include "simcore/graph/graph.h"
#include "simcore/ops/op_builder.h"

#include <functional>

namespace simcore::ops {

struct Rows {
  std::int64_t elements = 0, count = 1; // elements of one row; number of rows
};
// Cuts the elements into rows of 1 KiB per tile.
Rows rowsOf(const OpBuilder& builder, std::int64_t elements, numerics::ElementType type);

// Program that moves one row between the host and `staging`; `row` is its number, invalid if the tensor has only one row.
using RowProgram = std::function<graph::Program(const graph::Tensor& staging, const graph::Tensor& row)>;
// Both append to the builder's program. `tensor` may have any mapping.
void rowsFromHost(const OpBuilder& builder, const Rows& rows, const graph::Tensor& tensor, const RowProgram& move);
void rowsToHost(const OpBuilder& builder, const Rows& rows, const graph::Tensor& tensor, const RowProgram& move);

// An empty graph with the machine's compute tiles: all tiles, or a virtual graph.
graph::Graph computeGraph(const arch::Machine& machine);
// A buffer between the host and a value of the model on this IPU, spread over its I/O tiles.
graph::Tensor hostBuffer(graph::Graph& graph, const graph::Tensor& value, const std::string& name,
                         reports::DebugContextId context, int ipu);

} // namespace simcore::ops

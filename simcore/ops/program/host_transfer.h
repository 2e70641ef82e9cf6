// Between the host and the machine. Large tensors go in rows: a loop moves a row at a time through a small variable, because the
// code of a host transfer grows with its bytes (a third of them on the way up) and would outgrow what is transferred. Machines may
// set tiles of every IPU apart for the host (Machine::ioTiles, PopART's numIOTiles): a model is lowered into a virtual graph of
// the others, so that no planner knows about them, and a transfer stops on them in a buffer.
#pragma once

#include "simcore/graph/graph.h"
#include "simcore/ops/op_builder.h"

#include <functional>

namespace simcore::ops {

struct Rows {
  std::int64_t elements = 0, count = 1; // of a row; rows
};
// A row holds 1 KiB a tile.
Rows rowsOf(const OpBuilder& builder, std::int64_t elements, numerics::ElementType type);

// Program that moves one row between the host and `staging`; `row` is its number, not valid if there is only one.
using RowProgram = std::function<graph::Program(const graph::Tensor& staging, const graph::Tensor& row)>;
// Append to the builder's program. `tensor` lies as it likes.
void rowsFromHost(const OpBuilder& builder, const Rows& rows, const graph::Tensor& tensor, const RowProgram& move);
void rowsToHost(const OpBuilder& builder, const Rows& rows, const graph::Tensor& tensor, const RowProgram& move);

// An empty graph that has the machine's compute tiles: all of them, or a virtual graph.
graph::Graph computeGraph(const arch::Machine& machine);
// Between the host and a value of the model on this IPU: a buffer spread over its I/O tiles.
graph::Tensor hostBuffer(graph::Graph& graph, const graph::Tensor& value, const std::string& name,
                         reports::DebugContextId context, int ipu);

} // namespace simcore::ops

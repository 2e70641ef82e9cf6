// Vertices for functions that add to the caller's compute set. An op cannot, because it appends a program. Their numbers and
// cycles come from the kernels and tables of the ops.
#pragma once

#include "popops/Reduce.hpp"
#include "simcore/codelets/nonlinearity.h"
#include "simcore/codelets/reduce.h"
#include "simcore/poplar/inner.h"

#include <optional>
#include <string>

namespace simcore::poplar {

// Adds vertices on this tile of the graph; both tensors have one dimension.
void addFillVertex(graph::Graph& graph, graph::ComputeSetId set, const graph::Tensor& x, reports::TileId tile, double value);
void addCastVertex(graph::Graph& graph, graph::ComputeSetId set, const graph::Tensor& from, const graph::Tensor& to,
                   reports::TileId tile);
// in [outputs, partials], out [outputs].
void addReduceVertex(graph::Graph& graph, graph::ComputeSetId set, const graph::Tensor& in, const graph::Tensor& out,
                     reports::TileId tile, const ::popops::ReduceParams& params);

// `to` may be `from`. The gradient's `at` is the result of the forward pass, or its input for gelus and swish.
void addNonLinearityVertex(graph::Graph& graph, graph::ComputeSetId set, codelets::NonLinearity kind, const graph::Tensor& from,
                           const graph::Tensor& to, reports::TileId tile);
void addNonLinearityGradVertex(graph::Graph& graph, graph::ComputeSetId set, codelets::NonLinearity kind,
                               const graph::Tensor& gradient, const graph::Tensor& at, const graph::Tensor& to,
                               reports::TileId tile);

// A vertex class of popnn that programs name themselves: "popnn::ReduceMaxClassSparse<float,unsigned int>" and its relatives.
std::optional<graph::Codelet> codeletOfLibrary(const arch::TileArchitecture& tile, const std::string& name);

// The vertex class of this name, as the functions above add it. Throws Error(Damaged) for an unknown name.
graph::Codelet libraryCodelet(const arch::TileArchitecture& tile, const std::string& name);

codelets::ReduceOp reduceOpOf(::popops::Operation operation);

} // namespace simcore::poplar

// Replaces parts of a tensor by updates, or combines them, at positions known only at run time.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace popops {

// XLA's scatter, into `operand`. The index vectors are along dimension indexVectorDim of `indices`; if indexVectorDim is their
// rank, each element is a vector of length 1. Component i of a vector is the position in dimension scatterDimsToOperandDims[i].
// `updates` has the parts along updateWindowDims and the indices along its other dimensions. insertWindowDims are the dimensions
// of the operand that `updates` lacks, because a part has one element there. If indices repeat, the last update stays. Throws
// poplibs_error for dimensions that do not match.
void scatter(poplar::Graph& graph, const poplar::Tensor& operand, const poplar::Tensor& indices, const poplar::Tensor& updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims, poplar::program::Sequence& prog,
             const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

// Combines a part of the operand with its update; appends to the program.
using UpdateComputationFunc =
    std::function<poplar::Tensor(poplar::Graph&, poplar::Tensor&, poplar::Tensor&, poplar::program::Sequence&)>;
// The same with a function of two scalars; updates are taken one after the other.
void scatter(poplar::Graph& graph, const poplar::Tensor& operand, const poplar::Tensor& indices, const poplar::Tensor& updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims, UpdateComputationFunc& updateComputation,
             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
             const poplar::OptionFlags& options = {});

} // namespace popops

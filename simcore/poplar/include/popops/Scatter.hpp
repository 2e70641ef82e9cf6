// Parts of a tensor replaced by, or combined with, updates at places that are known while running.
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

// Into `operand`. `indices` has its vectors along dimension indexVectorDim (its rank: each element is a vector of one); component i of a
// vector is the place in dimension scatterDimsToOperandDims[i]. `updates` has the parts along updateWindowDims, and one for each index in its
// other dimensions; insertWindowDims are dimensions of the operand in which a part has one element and `updates` has none.
// Where indices repeat, the last update stays. Throws poplibs_error for dimensions that do not fit.
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

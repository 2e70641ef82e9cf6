// Look-ups in a sparse table: rows of the weights of a fully connected layer, [output channels, input channels].
#pragma once

#include "popsparse/FullyConnected.hpp"

#include <cstddef>

namespace popsparse {
namespace dynamic {

// Creates [numIndices] of UNSIGNED_INT.
poplar::Tensor createIndicesTensor(poplar::Graph& graph, const FullyConnectedParams& params, std::size_t numIndices,
                                   const poplar::OptionFlags& options = {}, const poplar::DebugContext& debugContext = {});
// Creates [numIndices, input channels].
poplar::Tensor createSliceTensor(poplar::Graph& graph, const poplar::Type& dataType, const FullyConnectedParams& params,
                                 std::size_t numIndices, const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
// Returns the rows at the indices, [numIndices, input channels].
poplar::Tensor embeddingSlice(poplar::Graph& graph, const SparseTensor& t, const poplar::Tensor& indices,
                              poplar::program::Sequence& prog, const FullyConnectedParams& params,
                              const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                              PlanningCache* cache = nullptr);
// Adds scale x slices[i] to row indices[i] of `t`, only at positions that the sparse tensor stores.
void embeddingUpdateAdd(poplar::Graph& graph, const SparseTensor& t, const poplar::Tensor& slices, const poplar::Tensor& indices,
                        const poplar::Tensor& scale, poplar::program::Sequence& prog, const FullyConnectedParams& params,
                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                        PlanningCache* cache = nullptr);

} // namespace dynamic
} // namespace popsparse

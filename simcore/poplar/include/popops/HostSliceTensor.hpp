// Tensors for copying rows of a remote buffer. They are divided into packets of 1,024 bytes on neighbouring tiles, for reads and
// writes of the host alike. The first tile is the one after `offset` bytes of other packets.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <vector>

namespace popops {

struct IndicesAndTensor {
  poplar::Tensor indices; // UNSIGNED_INT, one for each row
  poplar::Tensor tensor;  // [rows, elements]
};
IndicesAndTensor createHostSliceableTensor(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                           const bool isRead, const poplar::DebugContext& debugContext = {});
IndicesAndTensor createHostSliceableTensor(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                           const bool isRead, const std::size_t offset,
                                           const poplar::DebugContext& debugContext = {});
poplar::Tensor createHostTransferableTensor(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                            bool isRead, const poplar::DebugContext& debugContext = {});
poplar::Tensor createHostTransferableTensor(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                            bool isRead, const std::size_t offset, const poplar::DebugContext& debugContext = {});

} // namespace popops

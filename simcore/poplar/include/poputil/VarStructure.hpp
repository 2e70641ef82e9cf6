// The order of a tensor's elements in memory, and variables that are mapped so that each part of a cut is contiguous.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace poputil {

// The greatest divisor d of the last dimension such that all groups of d neighbouring elements are contiguous in memory.
unsigned detectInnermostGrouping(const poplar::Graph& graph, const poplar::Tensor& tensor);

// A dimension, and the number of its neighbouring elements that are contiguous in memory; the innermost first.
using GroupingInfo = std::pair<unsigned, unsigned>;
std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph& graph, const poplar::Tensor& tensor);

// A variable of this shape: dimension i is cut into nPartitions[i] parts, and each part is contiguous in memory.
poplar::Tensor createPartitionableTensor(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                                         const std::vector<std::size_t>& nPartitions,
                                         const poplar::DebugContext& debugContext = {});
// Calls f with the number of each part and its view.
void iterateTensorPartitions(const poplar::Tensor& tensor, const std::vector<std::size_t>& nPartitions,
                             const std::function<void(const std::vector<std::size_t>& part, const poplar::Tensor& view)>& f);

} // namespace poputil

// The k largest or smallest elements of the last dimension.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "popops/SortOrder.hpp"

#include <cstddef>
#include <ostream>
#include <utility>
#include <vector>

namespace popops {

struct TopKParams {
  TopKParams(unsigned elements, bool takeLargest, SortOrder order, bool stable = false) noexcept
      : k(elements), largest(takeLargest), sortOrder(order), stableSort(stable) {}
  unsigned k;
  bool largest; // otherwise the smallest
  SortOrder sortOrder;
  bool stableSort; // equal elements in order of position (always the case)
};
std::ostream& operator<<(std::ostream& out, const TopKParams& params);

poplar::Tensor createTopKInput(poplar::Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                               const TopKParams& params, const poplar::DebugContext& debugContext = {});
// Returns [.., k] for [.., n]. These functions throw poplibs_error if n < k.
poplar::Tensor topK(poplar::Graph& graph, poplar::program::Sequence& prog, const poplar::Tensor& tensor, const TopKParams& params,
                    const poplar::DebugContext& debugContext = {});
// Returns keys and the values at the same positions.
std::pair<poplar::Tensor, poplar::Tensor> topKKeyValue(poplar::Graph& graph, poplar::program::Sequence& prog,
                                                       const poplar::Tensor& keys, const poplar::Tensor& values,
                                                       const TopKParams& params, const poplar::DebugContext& debugContext = {});
// Returns elements and their positions (UNSIGNED_INT).
std::pair<poplar::Tensor, poplar::Tensor> topKWithPermutation(poplar::Graph& graph, poplar::program::Sequence& prog,
                                                              const poplar::Tensor& tensor, const TopKParams& params,
                                                              const poplar::DebugContext& debugContext = {});

} // namespace popops

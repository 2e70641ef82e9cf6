// Views that give tensors a common shape by numpy's rules.
#pragma once

#include "poplar/Tensor.hpp"

#include <cstddef>
#include <vector>

namespace poputil {

// Adds dimensions of extent 1 in front of the tensor of smaller rank.
void expandToMatchRanks(poplar::Tensor& a, poplar::Tensor& b);
// These throw poplibs_error for shapes that do not broadcast.
void broadcastToMatch(poplar::Tensor& a, const std::vector<std::size_t>& shape);
void broadcastToMatch(poplar::Tensor& a, poplar::Tensor& b);
void broadcastToMatch(poplar::Tensor& a, poplar::Tensor& b, poplar::Tensor& c);
bool canBroadcastToMatch(const poplar::Tensor& a, const poplar::Tensor& b);

} // namespace poputil

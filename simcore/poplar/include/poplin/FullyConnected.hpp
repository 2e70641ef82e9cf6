// The products of a fully connected layer, for planning.
#pragma once

#include "poplin/MatMul.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace poplin {
namespace fc {

struct FullyConnectedParams {
  std::size_t numGroups, batchSize, inputSize, outputSize;
};
std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getMatMulPrePlanParameters(FullyConnectedParams parameters,
                                                                                     poplar::OptionFlags matmulOptions,
                                                                                     poplar::Type type, bool inferenceOnly);

} // namespace fc
} // namespace poplin

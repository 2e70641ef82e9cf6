// Numbers that a program set for tensors and fields.
#pragma once

#include "poplar/Graph.hpp"
#include "simcore/numerics/host_tensor.h"

#include <vector>

namespace poplar {
namespace core {

// A tensor with one value for all elements, or one value for each.
simcore::numerics::HostTensor hostTensor(simcore::numerics::ElementType type, const simcore::numerics::Shape& shape,
                                         const std::vector<Number>& values);

} // namespace core
} // namespace poplar

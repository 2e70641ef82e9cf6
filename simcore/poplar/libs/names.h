// Names of Poplar and of the simulator that the sources of the libraries write without their namespace.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "simcore/graph/graph.h"
#include "simcore/numerics/host_tensor.h"
#include "simcore/ops/op_builder.h"
#include "simcore/poplar/inner.h"

#include <cstddef>
#include <vector>

namespace simcore::poplar::names {

using numerics::ElementType;
using numerics::HostTensor;
using ::poplar::DebugContext;
using ::poplar::Graph;
using ::poplar::OptionFlags;
using ::poplar::Tensor;
using ::poplar::Type;
using ::poplar::program::Program;
using ::poplar::program::Sequence;
using Sizes = std::vector<std::size_t>;

namespace ops = simcore::ops;
namespace sg = simcore::graph;
namespace sp = simcore::poplar;

} // namespace simcore::poplar::names

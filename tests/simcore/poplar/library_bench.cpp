#include "tests/simcore/poplar/library_bench.h"

#include "popops/Cast.hpp"

namespace tests {

poplar::Tensor LibraryBench::asFloat(const poplar::Tensor& t) { return popops::cast(graph, t, poplar::FLOAT, prog, "asFloat"); }

} // namespace tests

// Loops that pass the iteration number to their bodies.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <cstddef>
#include <functional>

namespace popops {

// Returns the loop body, given the counter: one UNSIGNED_INT.
using CountedLoopBodyType = std::function<poplar::program::Program(const poplar::Tensor&)>;

// Runs the body for begin, begin + step, … below `end`. Throws poplibs_error for a step of 0.
poplar::program::Sequence countedLoop(poplar::Graph& graph, std::size_t begin, std::size_t end, std::size_t step,
                                      const CountedLoopBodyType& body, const poplar::DebugContext& debugContext = {});
poplar::program::Sequence countedLoop(poplar::Graph& graph, std::size_t count, const CountedLoopBodyType& body,
                                      const poplar::DebugContext& debugContext = {});

// Runs the body for count = initialCount, initialCount + countStep, … while it is below `countLimit` (above it, for a negative
// step). `count` and `countLimit`, tensors on the machine, are one INT or UNSIGNED_INT; the second form makes a counter.
poplar::program::Sequence countedForLoop(poplar::Graph& graph, const poplar::Tensor& count, int initialCount,
                                         const poplar::Tensor& countLimit, int countStep, const poplar::program::Program& body,
                                         const poplar::DebugContext& debugContext = {});
poplar::program::Sequence countedForLoop(poplar::Graph& graph, int initialCount, const poplar::Tensor& countLimit, int countStep,
                                         const poplar::program::Program& body, const poplar::DebugContext& debugContext = {});

} // namespace popops

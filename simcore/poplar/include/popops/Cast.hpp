// Converts elements to another type: truncates to whole numbers, rounds to nearest even for half.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

namespace popops {

poplar::Tensor cast(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Type& dstType, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {});
// Cast to QUARTER with a format and a scale. Not implemented yet: they throw poplibs_error.
poplar::Tensor cast(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Type& dstType, const poplar::Tensor& metadata,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
poplar::Tensor cast(poplar::Graph& graph, poplar::Tensor src, const poplar::Type& dstType, const poplar::Tensor& metadata,
                    poplar::ComputeSet cs, const poplar::DebugContext& debugContext = {});
void castWithOutput(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Tensor& dst, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {});
// Returns the cast as a separate program.
poplar::program::Program cast(poplar::Graph& graph, poplar::Tensor src, poplar::Tensor dst,
                              const poplar::DebugContext& debugContext = {});
// Adds vertices for the cast to a compute set, on the tiles of `dst`.
void cast(poplar::Graph& graph, poplar::Tensor src, poplar::Tensor dst, poplar::ComputeSet cs);
poplar::Tensor cast(poplar::Graph& graph, poplar::Tensor src, const poplar::Type& dstType, poplar::ComputeSet cs,
                    const poplar::DebugContext& debugContext = {});
// Returns one BOOL: whether a cast of `input` (one element) loses no more than the relative tolerance.
poplar::Tensor checkAccuracyWhenCast(poplar::Graph& graph, const poplar::Tensor& input, poplar::Type outputType, double tolerance,
                                     poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

} // namespace popops

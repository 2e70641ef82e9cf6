// Tensors that say how QUARTER tensors are read. Not implemented yet: both calls throw poplar_error.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/Tensor.hpp"

namespace poplar {

Tensor createConstantMetadataTensor(Graph& graph, QuarterMetadata::Format format, int scale, const DebugContext& context = {});
Tensor createVariableMetadataTensor(Graph& graph, QuarterMetadata::Format format, int scale, const DebugContext& context = {});

} // namespace poplar

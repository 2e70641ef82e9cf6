// The passes of fusion.h, one function each: how often it fired.
#pragma once

#include "simcore/model/graph.h"

namespace simcore::model {

int fuseSoftmax(Graph& graph);
int fuseLayerNorm(Graph& graph);
int fuseGelu(Graph& graph);
int fuseSwish(Graph& graph);
int fuseBatchNorm(Graph& graph);
int fuseResidual(Graph& graph);
int fuseActivation(Graph& graph);
int fuseAttention(Graph& graph);

} // namespace simcore::model

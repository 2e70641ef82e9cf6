// A quick look at what a program costs on one IPU before it is compiled: enough to weigh parts of a model against each other.
#pragma once

#include "simcore/graph/graph.h"

namespace simcore::ops {

struct ProgramCost {
  int64_t cycles = 0;
  int64_t steps = 0; // compute sets and exchanges
};
ProgramCost programCost(const graph::Graph& g, const graph::ProgramNode& program);

} // namespace simcore::ops

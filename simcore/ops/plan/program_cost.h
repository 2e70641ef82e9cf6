// Quick estimate of the cost of a program on one IPU before it is compiled, to compare parts of a model.
#pragma once

#include "simcore/graph/graph.h"

namespace simcore::ops {

struct ProgramCost {
  int64_t cycles = 0;
  int64_t steps = 0; // compute sets and exchanges
};
ProgramCost programCost(const graph::Graph& g, const graph::ProgramNode& program);

} // namespace simcore::ops

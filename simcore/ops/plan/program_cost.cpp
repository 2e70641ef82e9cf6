#include "simcore/ops/plan/program_cost.h"

#include "simcore/ops/plan/exchange_estimate.h"

#include <algorithm>

namespace simcore::ops {

using graph::Program;
using graph::ProgramNode;

namespace {

int64_t longestVertices(const graph::Graph& g, const graph::ComputeSet& set) {
  const int64_t workers = g.machine().tile.workers;
  int64_t longest = 0;
  for (const auto& run : set.runs) {
    const auto& type = g.vertexTypes()[run.type];
    const bool worker = type.kind == graph::Codelet::Kind::Worker;
    const int64_t cycles = worker ? reports::ceilDiv(run.perTile, workers) * workers * run.cycles : run.perTile * run.cycles;
    longest = std::max(longest, cycles + type.launchCycles);
  }
  return longest;
}

void addCost(const graph::Graph& g, const ProgramNode& program, int64_t times, ProgramCost& cost) {
  switch (program.kind) {
  case ProgramNode::Kind::Execute:
    cost.cycles += times * longestVertices(g, g.computeSet(program.computeSet));
    ++cost.steps;
    return;
  case ProgramNode::Kind::Rearrange:
    cost.cycles +=
        times * (exchangeEstimate(g.machine(), double(std::max(program.traffic.bytesIn.max(), program.traffic.bytesOut.max()))) +
                 program.copyCycles.max());
    ++cost.steps;
    return;
  default: break;
  }
  const int64_t each = program.kind == ProgramNode::Kind::Repeat ? times * program.count : times;
  for (const Program& child : program.children) addCost(g, *child, each, cost);
}

} // namespace

ProgramCost programCost(const graph::Graph& g, const ProgramNode& program) {
  ProgramCost cost;
  addCost(g, program, 1, cost);
  return cost;
}

} // namespace simcore::ops

#include "simcore/run/operation_sums.h"

namespace simcore::run {

using compile::Step;
using reports::Activity;
using reports::OperationRow;

void OperationSums::addRun(int64_t operation, const Step& s, int64_t executions, int64_t cycles) {
  Sums& sums = of(operation);
  OperationRow& r = sums.row;
  switch (s.activity) {
  case Activity::Compute:
  case Activity::OnTileCopy:
    r.computeCycles += cycles;
    if (const int64_t active = s.cycles.activeTiles()) {
      sums.weightedBalance += double(s.cycles.sum()) / double(active) * double(executions);
      sums.weight += double(s.cycles.max() * executions);
    }
    break;
  case Activity::InternalExchange:
  case Activity::GlobalExchange: r.exchangeCycles += cycles; break;
  case Activity::Sync: r.syncCycles += cycles; break;
  case Activity::HostStream: r.hostCycles += cycles; break;
  default: break;
  }
  r.flops += s.flops * executions;
  if (s.exchange >= 0 && s.activity != Activity::HostStream)
    r.exchangeBytes += m_e.program.exchanges[std::size_t(s.exchange)].bytesIn.sum() * executions;
}

void OperationSums::addStep(int64_t operation, const Callers& callers, const Step& s) {
  int64_t code = s.controlCode.sum(), vertices = 0;
  if (s.exchange >= 0) code += m_e.program.exchanges[std::size_t(s.exchange)].codeBytes.sum();
  if (s.computeSet.valid()) {
    const auto& set = m_e.graph->computeSet(s.computeSet);
    for (const auto& run : set.runs) vertices += run.perTile * run.tiles.size();
    vertices += int64_t(set.vertices.size());
  }
  shareOut(operation, callers, &OperationRow::codeBytes, code);
  shareOut(operation, callers, &OperationRow::vertices, vertices);
}

void OperationSums::addVariable(int64_t operation, const Callers& callers, int64_t bytes) {
  shareOut(operation, callers, &OperationRow::variableBytes, bytes);
}

void OperationSums::shareOut(int64_t operation, const Callers& callers, int64_t OperationRow::*sum, int64_t amount) {
  int64_t left = 0; // executions whose part is not assigned yet
  for (const auto& [caller, executions] : callers) left += executions;
  if (left == 0) {
    of(operation).row.*sum += amount;
    return;
  }
  for (const auto& [caller, executions] : callers) {
    const auto part = int64_t(double(amount) * double(executions) / double(left));
    of(caller).row.*sum += part;
    amount -= part, left -= executions;
  }
}

std::vector<OperationRow> OperationSums::rows() const {
  std::vector<OperationRow> rows;
  for (const Sums& s : m_operations) {
    rows.push_back(s.row);
    rows.back().id = int64_t(rows.size()) - 1;
    if (s.weight > 0) rows.back().balance = s.weightedBalance / s.weight;
  }
  return rows;
}

OperationSums::Sums& OperationSums::of(int64_t operation) {
  const auto [it, added] = m_index.emplace(operation, m_operations.size());
  if (added) {
    OperationRow& r = m_operations.emplace_back().row;
    const reports::DebugContextId context{std::size_t(operation)};
    r.debugContextId = operation;
    r.name = m_e.graph->fullName(context);
    r.kind = m_e.graph->contexts()[context.value()].kind;
  }
  return m_operations[it->second];
}

} // namespace simcore::run

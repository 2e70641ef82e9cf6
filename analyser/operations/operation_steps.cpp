#include "analyser/operations/operation_steps.h"

#include "analyser/operations/peak_use.h"
#include "analyser/program/callers.h"

#include <cmath>

namespace analyser::operations {

namespace {
int64_t contextOf(const Operation& o) { return int64_t(o.debugContext.value()); }

} // namespace

program::Node partOf(program::Node node, int64_t executions, int64_t all) {
  const auto part = [&](int64_t value) { return std::llround(double(value) * double(executions) / double(all)); };
  node.executions = part(node.executions);
  node.cycles = Cycles(part(node.cycles.value())), node.inclusive = Cycles(part(node.inclusive.value()));
  node.bytes = Bytes(part(node.bytes.value())), node.flops = Flops(part(node.flops.value()));
  return node;
}

std::vector<int> operationOfNodes(Session& session, const Operations& operations, const program::Program& program,
                                  std::stop_token stop) {
  std::unordered_map<int64_t, int> rows; // by the context of the operation
  for (std::size_t i = 0; i < operations.rows.size(); ++i)
    rows.emplace(int64_t(operations.rows[i].debugContext.value()), static_cast<int>(i));
  const OperationNames contexts(session, stop);
  std::vector<int> operationOf(program.nodes.size(), -1);
  for (std::size_t n = 0; n < program.nodes.size(); ++n) {
    const program::Node& node = program.nodes[n];
    if (node.children > 0 || !node.debugContext.valid()) continue;
    const auto context = contexts.contextOf(int64_t(node.debugContext.value()));
    const auto row = context ? rows.find(*context) : rows.end();
    if (row != rows.end()) operationOf[n] = row->second;
  }
  return operationOf;
}

std::vector<OperationStep> operationSteps(Session& session, const Operations& operations, std::stop_token stop) {
  return operationSteps(session, operations, trace::tileCyclesBySteps(session, stop), stop);
}

std::vector<OperationStep> operationSteps(Session& session, const Operations& operations, const trace::StepCosts& costs,
                                          std::stop_token stop) {
  std::vector<OperationStep> steps;
  if (operations.rows.empty()) return steps;
  program::Program program = program::programTree(session, stop);
  const std::vector<int> operationOf = operationOfNodes(session, operations, program, stop);
  program::Callers callers(session, program, stop);
  std::unordered_map<int64_t, int> rows; // by context
  for (std::size_t i = 0; i < operations.rows.size(); ++i) rows.emplace(contextOf(operations.rows[i]), int(i));
  steps.reserve(program.nodes.size());
  for (std::size_t n = 0; n < operationOf.size(); ++n) {
    if (operationOf[n] < 0) continue;
    const auto& shares = callers.of(int(n), contextOf(operations.rows[std::size_t(operationOf[n])]));
    const auto cost = costs.find(int64_t(program.nodes[n].id.value()));
    const trace::TileCycles whole = cost == costs.end() ? trace::TileCycles() : cost->second.cost;
    if (shares.empty()) steps.push_back({operationOf[n], program.nodes[n], 1, whole});
    int64_t all = 0;
    for (const auto& share : shares) all += share.executions;
    for (const auto& share : shares)
      if (const auto row = rows.find(share.context); row != rows.end() && all > 0)
        steps.push_back({row->second, partOf(program.nodes[n], share.executions, all), double(share.executions) / double(all),
                         whole.part(share.executions, all)});
  }
  const PeakUse peaks(session, stop);
  for (OperationStep& step : steps) peaks.fill(step);
  return steps;
}

} // namespace analyser::operations

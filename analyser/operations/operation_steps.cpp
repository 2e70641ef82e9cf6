#include "analyser/operations/operation_steps.h"

#include "analyser/program/callers.h"
#include "analyser/session/peak_rates.h"
#include "reports/sqlite/reader.h"

#include <cmath>
#include <set>

namespace analyser::operations {

namespace {
int64_t contextOf(const Operation& o) { return int64_t(o.debugContext.value()); }

// The share that a step used of the peak of its kind.
class PeaksOfSteps {
public:
  PeaksOfSteps(Session& session, const std::stop_token& stop) : m_rates(peakRates(session)), m_machine(session.machine()) {
    std::set<int64_t> streams;
    session.reader().forEach<reports::StreamRow>(
        {}, {},
        [&](const reports::StreamRow& row) {
          if (row.direction == "remote_buffer") streams.insert(row.id);
        },
        stop);
    session.reader().forEach<reports::StreamCopyRow>(
        {}, {},
        [&](const reports::StreamCopyRow& row) {
          if (streams.count(row.streamId)) m_remote.insert(row.programStepId);
        },
        stop);
  }

  void fill(OperationStep& step) const {
    if (m_machine.clockHz <= 0 || m_machine.tilesPerIpu <= 0) return;
    const double ipuSeconds = double(step.tileCycles.total()) / double(m_machine.tilesPerIpu) / double(m_machine.clockHz);
    const bool computes = step.node.activity == reports::Activity::Compute;
    step.used = computes ? double(step.node.flops.value()) : double(step.node.bytes.value());
    step.usable = ipuSeconds * rateOf(step.node);
  }

private:
  double rateOf(const program::Node& node) const {
    switch (node.activity) {
    case reports::Activity::Compute: return m_rates.flops;
    case reports::Activity::InternalExchange: return m_rates.exchange;
    case reports::Activity::GlobalExchange: return m_rates.link;
    case reports::Activity::HostStream: return m_remote.count(int64_t(node.id.value())) ? m_rates.streamingMemory : m_rates.host;
    default: return 0;
    }
  }

  PeakRates m_rates;
  const Machine& m_machine;
  std::set<int64_t> m_remote; // steps that copy to or from streaming memory
};
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
  const PeaksOfSteps peaks(session, stop);
  for (OperationStep& step : steps) peaks.fill(step);
  return steps;
}

} // namespace analyser::operations

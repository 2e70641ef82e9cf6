#include "analyser/operations/operation_steps.h"

namespace analyser::operations {

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
  std::vector<OperationStep> steps;
  if (operations.rows.empty()) return steps;
  program::Program program = program::programTree(session, stop);
  const std::vector<int> operationOf = operationOfNodes(session, operations, program, stop);
  for (std::size_t n = 0; n < operationOf.size(); ++n)
    if (operationOf[n] >= 0) steps.push_back({operationOf[n], std::move(program.nodes[n])});
  return steps;
}

} // namespace analyser::operations

#include "analyser/operations/operation_steps.h"

namespace analyser::operations {

std::vector<OperationStep> operationSteps(Session& session, const Operations& operations, std::stop_token stop) {
  std::vector<OperationStep> steps;
  if (operations.rows.empty()) return steps;
  std::unordered_map<int64_t, int> rows; // by the context of the operation
  for (std::size_t i = 0; i < operations.rows.size(); ++i)
    rows.emplace(int64_t(operations.rows[i].debugContext.value()), static_cast<int>(i));
  const OperationNames contexts(session, stop);
  program::Program program = program::programTree(session, stop);
  for (program::Node& node : program.nodes) {
    if (node.children > 0 || !node.debugContext.valid()) continue;
    const auto context = contexts.contextOf(int64_t(node.debugContext.value()));
    const auto row = context ? rows.find(*context) : rows.end();
    if (row != rows.end()) steps.push_back({row->second, std::move(node)});
  }
  return steps;
}

} // namespace analyser::operations

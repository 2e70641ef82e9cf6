#include "analyser/operations/shared_steps.h"

#include "reports/sqlite/reader.h"

namespace analyser::operations {

SharedSteps::SharedSteps(Session& session, program::ProgramOnce& program, const std::stop_token& stop) {
  if (!session.reader().first<reports::CallContextRow>("1 = 1", {})) return;
  m_program = &program.get();
  m_callers.emplace(session, *m_program, stop);
}

std::vector<program::Callers::Share> SharedSteps::of(int64_t step, int64_t context) {
  const int node = m_callers && step >= 0 ? m_program->indexOf(reports::ProgramStepId(std::size_t(step))) : -1;
  return node < 0 ? std::vector<program::Callers::Share>() : m_callers->of(node, context);
}

} // namespace analyser::operations

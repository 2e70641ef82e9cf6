// The operations for which the steps of functions run. Reads the program only if the report has calls for other operations.
#pragma once

#include "analyser/program/callers.h"

#include <optional>

namespace analyser::operations {

class SharedSteps {
public:
  SharedSteps(Session& session, program::ProgramOnce& program, const std::stop_token& stop);
  // The operations (debug contexts) for which a step (program_step.id) of the operation `context` runs, most executions first;
  // empty: only for itself.
  std::vector<program::Callers::Share> of(int64_t step, int64_t context);

private:
  const program::Program* m_program = nullptr; // null: every step runs for itself
  std::optional<program::Callers> m_callers;
};

} // namespace analyser::operations

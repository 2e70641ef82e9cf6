// The columns of a table of operations, or of groups of them.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"
#include "analyser/operations/operation_steps.h"

namespace analyser::operations {

const columns::Columns<Operation>& operationColumns();

// A step of the program with the summed shares of the operations.
struct StepOfOperations {
  const program::Node* node = nullptr;
  Cycles cycles = {};
  Bytes bytes = {};
  int64_t executions = 0;
  trace::TileCycles tileCycles = {};
  double used = 0, usable = 0; // see OperationStep
};
const columns::Columns<StepOfOperations>& stepColumns();

inline columns::Subjects subjectsOf(const StepOfOperations& step) { return columns::about(columns::Thing::Step, step.node->id); }

} // namespace analyser::operations

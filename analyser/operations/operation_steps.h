// The program steps of an operation: the link from the model's names to the program, the trace and liveness.
#pragma once

#include "analyser/operations/operations.h"
#include "analyser/program/program_tree.h"

namespace analyser::operations {

struct OperationStep {
  int operation = 0; // index of Operations::rows
  program::Node node;
  double share = 1;             // of all executions of the step; `node` has this part of its cost
  trace::TileCycles tileCycles; // of the same part; 0 for a step that never ran
  // used: FLOPs or bytes of this part. usable: the most that the peak of compute, exchange, links, host or streaming memory
  // allows in the part's time on the step's IPUs. 0 if the report does not have them.
  double used = 0, usable = 0;
};

// The part of a step for one of several operations that run it: a share of its executions and cost.
program::Node partOf(program::Node node, int64_t executions, int64_t all);

// By node of the program: the operation (index of Operations::rows) that a leaf step belongs to; -1 for others.
std::vector<int> operationOfNodes(Session& session, const Operations& operations, const program::Program& program,
                                  std::stop_token stop = {});

// The leaf steps of an operation, in program order. A step of a function shared by several operations is listed for each, with
// its share of the executions and cost.
std::vector<OperationStep> operationSteps(Session& session, const Operations& operations, std::stop_token stop = {});
// operationSteps() for a caller that already has the costs of the steps.
std::vector<OperationStep> operationSteps(Session& session, const Operations& operations, const trace::StepCosts& costs,
                                          std::stop_token stop = {});

} // namespace analyser::operations

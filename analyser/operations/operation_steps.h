// The program steps an operation became: the way from the words of the model to the program, the trace and liveness.
#pragma once

#include "analyser/operations/operations.h"
#include "analyser/program/program_tree.h"

namespace analyser::operations {

struct OperationStep {
  int operation = 0; // index of Operations::rows
  program::Node node;
  double share = 1;             // of all executions of the step; `node` has this part of its cost
  trace::TileCycles tileCycles; // the same part; of nothing for a step that never ran
};

// A step as one of several runs it: with this part of its executions and of their cost.
program::Node partOf(program::Node node, int64_t executions, int64_t all);

// By node of the program: the operation (index of Operations::rows) that a leaf step belongs to; -1 for others.
std::vector<int> operationOfNodes(Session& session, const Operations& operations, const program::Program& program,
                                  std::stop_token stop = {});

// The leaf steps that belong to an operation, in program order. A step of a function that several operations share is listed for each,
// with its part of the executions and of their cost.
std::vector<OperationStep> operationSteps(Session& session, const Operations& operations, std::stop_token stop = {});
// The same where the costs of the steps are at hand.
std::vector<OperationStep> operationSteps(Session& session, const Operations& operations, const trace::StepCosts& costs,
                                          std::stop_token stop = {});

} // namespace analyser::operations

// Computes a model on the host, node by node with the kernels of simcore/numerics. Used for constant folding, as the reference in
// tests, and for the numbers of ops in a program.
#pragma once

#include "simcore/model/graph/graph.h"
#include "simcore/model/graph/node_work.h"
#include "simcore/model/graph/operator.h"

#include "reports/core/progress.h"

#include <stop_token>

namespace simcore::model {

struct EvaluationOptions {
  // Every float value is rounded to fp16 when stored, including weights and inputs; sums inside one operator stay float.
  bool halfPrecision = false;
  std::stop_token stop;
  // Called after each node of the main graph with its outputs, in the order of node.outputs.
  std::function<void(const Node&, const Tensors&)> observe;
  bool observesSubgraphs = false; // also for nodes of subgraphs, before the node that runs the subgraph
  // Limit for the work of all nodes (node_work.h); `advice` is the advice of the error beyond it.
  double mostWork = kMostWork;
  const char* advice = "make it smaller, or compute no numbers";
};

// Inputs by name (all that the graph declares; extra names are an error); outputs in the graph's order. Throws reports::Error at the node.
Tensors evaluate(const Model& model, const std::unordered_map<std::string, numerics::HostTensor>& inputs,
                 const EvaluationOptions& options = {});

// Evaluates one node. `values` has the values that it reads by name, including those that its subgraphs use from outside. The
// tensors share storage.
Tensors evaluateNode(const Node& node, const std::unordered_map<std::string, numerics::HostTensor>& values);

// The names that a node reads, each once: its inputs, then the outer values that its subgraphs use.
std::vector<std::string> namesReadBy(const Node& node);

} // namespace simcore::model

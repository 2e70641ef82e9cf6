// A node during lowering: inputs as tensors on the machine, types, a builder for time, and the destination of the results.
// Constants reach the machine only if the lowering reads them; the others stay immediates of the kernel.
#pragma once

#include "simcore/model/graph/operator.h"
#include "simcore/ops/ops.h"

namespace simcore::model {

class LoweringScope;

class NodeLowering {
public:
  NodeLowering(LoweringScope& scope, const Node& node, const ops::OpBuilder& builder, Call call);

  const Node& node() const { return m_node; }
  const Call& call() const { return m_call; }
  // Ops built with this only append time; the kernel of the node computes its numbers.
  const ops::OpBuilder& timeBuilder() const { return m_time; }
  // Like timeBuilder(), but in vertex-by-vertex mode the ops compute the numbers and the node has no kernel.
  const ops::OpBuilder& builder();
  // For numbers that depend on the tile mapping, e.g. random numbers: the ops compute them in either mode.
  const ops::OpBuilder& positionBuilder();
  // Whether ops of builder() need kernels for numbers; otherwise kernels may be empty.
  bool byVertices() const { return m_builder.byCells(); }
  // The node's operator as a kernel that computes result `output` from these inputs; the other inputs are constants in it.
  ops::HostKernel hostKernel(const std::vector<std::size_t>& inputs, std::size_t output = 0) const;
  bool has(std::size_t i) const { return m_call.has(i); }

  // Input `i` on the machine, in its model shape; a constant gets a variable, once for all its readers.
  graph::Tensor input(std::size_t i);
  graph::Tensor named(const std::string& name);
  // Whether input `i` is a single constant, which a codelet takes as an immediate.
  bool isImmediate(std::size_t i) const;
  // Whether the node is the last reader of input `i` and may overwrite it with its result.
  bool mayOverwrite(std::size_t i);

  const numerics::Shape& outputShape(std::size_t i = 0) const;
  // The machine type of output `i`.
  numerics::ElementType outputType(std::size_t i = 0) const;

  // Result `i` computed by ops: the kernel fills it. `tensor` may have any shape with the right element count.
  void give(const graph::Tensor& tensor, std::size_t i = 0);
  // Every element of the results depends on the same element of inputs of that size and on all elements of smaller inputs: in
  // vertex-by-vertex mode the node's operator runs on each cell of the layout of `like`.
  void computeByCells(const graph::Tensor& like);
  // Result `i` is the mean over all replicas of input `i` (graph/across_replicas.h).
  void averageOverReplicas() { m_averages = true; }
  // Computes numbers for the batches of `replicas` neighbouring replicas together: inputs with the shape of input 0 are joined
  // along their first dimension, and results with that shape are split again.
  void computeWithNeighbours(std::int64_t replicas) { m_neighbours = replicas; }
  // Result `i` is a view of `tensor`: it needs no numbers and no time.
  void giveView(const graph::Tensor& tensor, std::size_t i = 0);

  // The scope that holds the values; for nodes with subgraphs.
  LoweringScope& scope() const { return m_scope; }
  // Appends the kernel for all results given with give().
  void finish();

private:
  // A constant with its values in the machine's precision.
  numerics::HostTensor onMachine(const numerics::HostTensor& value) const;

  LoweringScope& m_scope;
  const Node& m_node;
  ops::OpBuilder m_builder, m_time;
  Call m_call;
  bool m_byParts = false, m_averages = false;
  std::int64_t m_neighbours = 1;
  graph::Distribution m_cells; // set: the node's operator runs on each cell
  std::unordered_map<std::string, graph::Tensor> m_read;
  std::map<std::size_t, graph::Tensor> m_computed;
};

// For operators without a planner: every tile computes its linear share of the results from all inputs that are not immediates.
// An element takes `cyclesPerElement` worker cycles, which is an estimate and marked as such in the report's plans.
void lowerEstimated(NodeLowering& n, std::int64_t cyclesPerElement);
// The plan of operators without a planner: a dozen cycles per element.
void lowerGeneric(NodeLowering& n);

} // namespace simcore::model

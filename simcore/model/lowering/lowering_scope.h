// The values of a graph during lowering: the tensor on the machine for each name. Nodes are lowered one by one.
#pragma once

#include "simcore/graph/graph.h"
#include "simcore/model/graph/graph.h"
#include "simcore/model/lowering/ipu_copies.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/model/lowering/node_contexts.h"
#include "simcore/model/lowering/value_uses.h"
#include "simcore/ops/program/stage_routes.h"

#include <functional>
#include <map>
#include <span>
#include <unordered_map>

namespace simcore::model {

class SharedNodes;

class LoweringScope {
public:
  // `outer` is the scope around a subgraph, or null.
  LoweringScope(const Graph& source, LoweringScope* outer, graph::Graph& target, reports::DebugContextId context,
                const LoweringOptions& options);
  LoweringScope(const LoweringScope&) = delete; // its members refer to each other

  // The tensor of a value; constants get a variable at the first call.
  graph::Tensor tensor(const std::string& name);
  // The tensor of a value on the builder's IPU: a weight gets a variable on every IPU that reads it, another value is copied once
  // over the links, in the builder's program.
  graph::Tensor tensorOn(const std::string& name, const ops::OpBuilder& at);
  // Looks up values in the current stage from now on; null ends this.
  void followRoutes(ops::StageRoutes* routes) { m_routes = routes; }
  ops::StageRoutes* routes() const { return m_routes; }
  // From now on, nodes that are lowered in the same way share functions.
  void share(SharedNodes* shared) { m_shared = shared; }
  // A persistent variable (a parameter, a sum). The program `copies`, and not a reader's program, copies it to other IPUs.
  void keepVariable(const std::string& name, const graph::Tensor& tensor, graph::Sequence& copies);
  // A persistent variable that nodes add to: their output is the variable itself, never routed to other stages. All stages of its
  // IPU may add.
  void growsInPlace(const graph::Tensor& variable) { m_growing.insert(variable.wholeVariable().value()); }
  // In a function, these tensors represent the named values, which are not constant; an empty map ends this.
  void standIn(std::map<std::string, graph::Tensor> tensors);
  const std::map<std::string, graph::Tensor>& standIns() const { return m_standIns; }
  void set(const std::string& name, const graph::Tensor& tensor);
  // The tensor of a value made by a layer's function: the next call of the function overwrites it.
  void setUntilNextCall(const std::string& name, const graph::Tensor& tensor, int call);
  // Null if the value is not constant.
  const numerics::HostTensor* constant(const std::string& name) const;
  const TensorType& type(const std::string& name) const;
  // The machine type of a value with this type.
  numerics::ElementType deviceType(numerics::ElementType type) const;

  // The remote buffer with this name, made at the first call with rows for a value like this (host_transfer.h).
  graph::RemoteBuffer remoteBuffer(const std::string& name, const graph::Tensor& value, const ops::OpBuilder& at);
  // The remote buffer with this name and `count` rows of `elements`; nodes address single rows.
  graph::RemoteBuffer remoteRows(const std::string& name, numerics::ElementType type, std::int64_t elements, std::int64_t count);
  // Element type of a remote variable, if it was set before; else `otherwise`.
  numerics::ElementType remoteType(const std::string& name, numerics::ElementType otherwise) const;
  void setRemoteType(const std::string& name, numerics::ElementType type) { m_remoteTypes[name] = type; }

  // Whether the next read of the value is the last read of its whole variable.
  bool isLastRead(const std::string& name, int ipu) const;

  // Lowers nodes of the source into `program`.
  void lowerNodes(std::span<const Node> nodes, graph::Sequence& program, bool withNumbers);
  // One node, without a shared function; its inputs still count as unread. `context` belongs to the node.
  void lowerItself(const Node& node, reports::DebugContextId context, graph::Sequence& program, bool withNumbers);
  // Maps the variables linearly that no planner mapped, because the results of their readers are not used.
  void placeTheRest();
  // The IPU of nodes without an entry in LoweringOptions::ipuOfNode; nodes of a subgraph use the IPU of its node.
  void setIpu(int ipu) { m_ipu = ipu; }
  // The stage of a node of the source.
  int stageOf(std::size_t node) const;
  std::size_t firstReader(const std::string& name) const; // node 0 if no node reads it
  int ipuOfFirstReader(const std::string& name) const;

  ValueUses& uses() { return m_uses; }
  NodeContexts& contexts() { return m_contexts; }
  IpuCopies& copies() { return m_copies; }
  const Graph& source() const { return m_source; }
  graph::Graph& target() const { return m_target; }
  const LoweringOptions& options() const { return m_options; }

private:
  void lowerNode(const Node& node, graph::Sequence& program, bool withNumbers);
  int ipuOf(const Node& node) const; // for a node of the source itself
  ops::OpBuilder builderOf(const Node& node, reports::DebugContextId context, graph::Sequence& program, bool withNumbers);
  graph::Tensor alongRoute(const std::string& name, const ops::OpBuilder& at);

  const Graph& m_source;
  LoweringScope* m_outer;
  graph::Graph& m_target;
  NodeContexts m_contexts;
  const LoweringOptions& m_options;
  ValueUses m_uses;
  IpuCopies m_copies;
  std::unordered_map<std::string, graph::Tensor> m_tensors;
  std::map<std::string, int> m_weightIpu; // IPU of the first variable of a weight
  ops::StageRoutes* m_routes = nullptr;
  SharedNodes* m_shared = nullptr;
  std::map<std::string, graph::Tensor> m_standIns;
  std::map<std::string, graph::RemoteBuffer> m_remoteBuffers;
  std::map<std::string, numerics::ElementType> m_remoteTypes;
  std::set<std::uint32_t> m_growing; // variables
  int m_ipu = 0;
};

// A workload named after the model's file, with an empty graph.
graph::Workload emptyWorkload(const Model& model, const arch::Machine& machine);

} // namespace simcore::model

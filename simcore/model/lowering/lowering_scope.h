// The values of a model while it is lowered: which tensor on the machine stands for which name, and who still reads it.
#pragma once

#include "simcore/graph/graph.h"
#include "simcore/model/graph/graph.h"
#include "simcore/model/lowering/lowering.h"
#include "simcore/ops/program/pipeline_program.h"
#include "simcore/ops/program/stage_routes.h"

#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace simcore::model {

class SharedNodes;

class LoweringScope {
public:
  // `outer` is the scope around a subgraph, or null.
  LoweringScope(const Graph& source, LoweringScope* outer, graph::Graph& target, reports::DebugContextId context,
                const LoweringOptions& options);

  // The tensor of a value; constants get a variable at the first call.
  graph::Tensor tensor(const std::string& name);
  // The same on the builder's IPU: a weight gets a variable on every IPU that reads it, another value is copied once over the
  // links, in the builder's program.
  graph::Tensor tensorOn(const std::string& name, const ops::OpBuilder& at);
  // From now on values that cross go from IPU to IPU in steps of one and their copies are put here instead of into programs.
  void collectCrossings(std::vector<ops::IpuCopy>& list) { m_crossings = &list; }
  // From now on values are looked for in the stage that is entered; null: no longer.
  void followRoutes(ops::StageRoutes* routes) { m_routes = routes; }
  ops::StageRoutes* routes() const { return m_routes; }
  // From now on nodes that are lowered alike share functions.
  void share(SharedNodes* shared) { m_shared = shared; }
  // A variable that lasts (a parameter, a sum): other IPUs that read it get a copy in `copies`, not where they read it.
  void keepVariable(const std::string& name, const graph::Tensor& tensor, graph::Sequence& copies);
  // A lasting variable that nodes add to: what they give is the variable, which goes along no route. All stages of its IPU
  // may add to it.
  void growsInPlace(const graph::Tensor& variable) { m_growing.insert(variable.wholeVariable().value()); }
  // Inside a function a value is this tensor, and not known beforehand; no longer after an empty one.
  void standIn(std::map<std::string, graph::Tensor> tensors);
  const std::map<std::string, graph::Tensor>& standIns() const { return m_standIns; }
  void set(const std::string& name, const graph::Tensor& tensor);
  // The tensor of a value the function of a layer made: the next call of the function overwrites it.
  void setUntilNextCall(const std::string& name, const graph::Tensor& tensor, int call);
  // Null where the value is not constant.
  const numerics::HostTensor* constant(const std::string& name) const;
  const TensorType& type(const std::string& name) const;
  // The type a value of this type has on the machine.
  numerics::ElementType deviceType(numerics::ElementType type) const;

  // The remote buffer of this name, made at the first call with rows for a value like this (host_transfer.h).
  graph::RemoteBuffer remoteBuffer(const std::string& name, const graph::Tensor& value, const ops::OpBuilder& at);
  // Its element type, if it was said before; else `otherwise`.
  numerics::ElementType remoteType(const std::string& name, numerics::ElementType otherwise) const;
  void setRemoteType(const std::string& name, numerics::ElementType type) { m_remoteTypes[name] = type; }

  // Whether the next read of the value is the last of everything its variable holds.
  bool isLastRead(const std::string& name, int ipu) const;
  void wasRead(const Node& node);
  // Values that must not be overwritten: model inputs and whatever belongs to an outer scope.
  void protect(const std::string& name) {
    changeUse(name, [&] { m_protected.insert(name); });
  }
  void unprotect(const std::string& name) {
    changeUse(name, [&] { m_protected.erase(name); });
  }

  // Lowers all nodes of the source into `program`, or those in a range.
  void lowerNodes(graph::Sequence& program, bool withNumbers) { lowerNodes(m_source.nodes, program, withNumbers); }
  void lowerNodes(std::span<const Node> nodes, graph::Sequence& program, bool withNumbers);
  // One node, without a function that others share; what it reads still counts as not read. `context` is one for the node.
  void lowerItself(const Node& node, reports::DebugContextId context, graph::Sequence& program, bool withNumbers);
  // The context of a node's path below that of the scope.
  reports::DebugContextId contextOf(const std::vector<std::string>& path);
  // A new context for an operation. The one that a node of the source was lowered in is told afterwards.
  reports::DebugContextId addContextOf(const Node& node);
  reports::DebugContextId loweredIn(const Node& node) const { return m_contextOfNode.at(&node); }
  // Variables that no planner laid anywhere, because nobody computes with what their readers make of them, lie linearly.
  void placeTheRest();
  // Where nodes go that LoweringOptions::ipuOfNode does not place; those of a subgraph go where its node is.
  void setIpu(int ipu) { m_ipu = ipu; }
  // The stage that a node of the source runs in.
  int stageOf(std::size_t node) const;
  // Inputs of the model: a variable on the IPU that reads it first and the copy from its stream, in the program for that stage.
  // With I/O tiles the stream fills a buffer there (in the other program), which is copied.
  using ProgramOfStage = std::function<graph::Sequence&(int stage)>;
  void lowerInputs(const Model& model, graph::Workload& load, const ProgramOfStage& toDevice, const ProgramOfStage& loadFrom);
  void lowerOutputs(graph::Workload& load, const ProgramOfStage& toHost, const ProgramOfStage& store);
  // A value to the host; `name` is the stream's.
  void send(const graph::Tensor& value, graph::StreamId stream, const std::string& name, graph::Sequence& toHost,
            graph::Sequence& store);

  const Graph& source() const { return m_source; }
  graph::Graph& target() const { return m_target; }
  reports::DebugContextId context() const { return m_context; }
  const LoweringOptions& options() const { return m_options; }

private:
  void lowerNode(const Node& node, graph::Sequence& program, bool withNumbers);
  int ipuOf(const Node& node) const; // a node of the source itself
  ops::OpBuilder builderOf(const Node& node, reports::DebugContextId context, graph::Sequence& program, bool withNumbers);
  graph::Tensor alongRoute(const std::string& name, const ops::OpBuilder& at);
  graph::Tensor copyOn(const std::string& name, const graph::Tensor& value, const ops::OpBuilder& at);
  void nameVariables(const graph::Tensor& tensor, const std::string& name) { nameVariables(tensor.variables(), name); }
  void nameVariables(const std::vector<graph::VariableId>& variables, const std::string& name);
  // Whether what the name stands for must still be there behind the next read.
  bool isInUse(const std::string& name) const {
    const auto reads = m_reads.find(name);
    return m_protected.count(name) || (reads != m_reads.end() && reads->second > 0);
  }
  template<class F> void changeUse(const std::string& name, F change) {
    const bool before = isInUse(name);
    change();
    if (const bool now = isInUse(name); now != before) countUse(name, now ? 1 : -1);
  }
  void countUse(const std::string& name, int change);
  std::size_t firstReader(const std::string& name) const; // the first node where nobody reads it
  int ipuOfFirstReader(const std::string& name) const;

  const Graph& m_source;
  LoweringScope* m_outer;
  graph::Graph& m_target;
  reports::DebugContextId m_context;
  const LoweringOptions& m_options;
  std::unordered_map<std::string, graph::Tensor> m_tensors;
  std::map<std::pair<std::string, int>, graph::Tensor> m_copies; // by name and IPU
  std::map<std::string, int> m_weightIpu;                        // of the first variable of a weight
  std::vector<ops::IpuCopy>* m_crossings = nullptr;
  ops::StageRoutes* m_routes = nullptr;
  SharedNodes* m_shared = nullptr;
  std::map<std::string, graph::Tensor> m_standIns;
  std::map<std::string, graph::RemoteBuffer> m_remoteBuffers;
  std::map<std::string, numerics::ElementType> m_remoteTypes;
  std::map<std::string, graph::Sequence*> m_kept; // where copies of lasting variables are made
  std::set<std::uint32_t> m_growing;              // variables
  int m_ipu = 0;
  std::unordered_map<std::string, int> m_reads; // still to come
  // The names of a variable, and how many of them are in use: an element that is read in place all along a network has very many names.
  struct Names {
    std::vector<const std::string*> names; // keys of m_variablesOfName; a join of many variables is a name of each
    int inUse = 0;
  };
  std::unordered_map<uint32_t, Names> m_namesOfVariable;
  std::unordered_map<std::string, std::vector<uint32_t>> m_variablesOfName;
  std::unordered_set<std::string> m_protected;
  std::map<std::vector<std::string>, reports::DebugContextId> m_contexts; // by path
  std::map<const Node*, reports::DebugContextId> m_contextOfNode;
};

// Named after the model's file, with an empty graph.
graph::Workload emptyWorkload(const Model& model, const arch::Machine& machine);

} // namespace simcore::model

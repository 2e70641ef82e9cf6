// The values of a model while it is lowered: which tensor on the machine stands for which name, and who still reads it.
#pragma once

#include "simcore/graph/graph.h"
#include "simcore/model/graph.h"
#include "simcore/model/lowering.h"
#include "simcore/ops/op_builder.h"

#include <map>

namespace simcore::model {

class LoweringScope {
public:
  // `outer` is the scope around a subgraph, or null.
  LoweringScope(const Graph& source, LoweringScope* outer, graph::Graph& target, reports::DebugContextId context,
                const LoweringOptions& options);

  // The tensor of a value; constants get a variable at the first call.
  graph::Tensor tensor(const std::string& name);
  void set(const std::string& name, const graph::Tensor& tensor);
  // Null where the value is not constant.
  const numerics::HostTensor* constant(const std::string& name) const;
  const TensorType& type(const std::string& name) const;
  // The type a value of this type has on the machine.
  numerics::ElementType deviceType(numerics::ElementType type) const;

  // Whether the next read of the value is the last of everything its variable holds.
  bool isLastRead(const std::string& name) const;
  void wasRead(const Node& node);
  // Values that must not be overwritten: model inputs and whatever belongs to an outer scope.
  void protect(const std::string& name) { m_protected.insert(name); }

  // Lowers all nodes of the source into `program`.
  void lowerNodes(graph::Sequence& program, bool withNumbers);

  const Graph& source() const { return m_source; }
  graph::Graph& target() const { return m_target; }
  reports::DebugContextId context() const { return m_context; }
  const LoweringOptions& options() const { return m_options; }

private:
  void lowerNode(const Node& node, graph::Sequence& program, bool withNumbers);

  const Graph& m_source;
  LoweringScope* m_outer;
  graph::Graph& m_target;
  reports::DebugContextId m_context;
  const LoweringOptions& m_options;
  std::map<std::string, graph::Tensor> m_tensors;
  std::map<std::string, int> m_reads; // still to come
  std::map<uint32_t, std::set<std::string>> m_namesOfVariable;
  std::set<std::string> m_protected;
};

} // namespace simcore::model

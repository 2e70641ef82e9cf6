// One function for all nodes with the same lowering: a convolution in the forward pass, its recomputation in the backward pass and the same
// convolution in another layer share one plan, one exchange code and one set of vertices. Users of poplin do the same with cached graph
// functions (TensorFlow's generic graph cache, PopART's outlining). A call copies operands in and results out on their tiles, so operands
// with another mapping need another function. If a copy overflows a tile because its original is live too, the nodes are lowered without a
// function when the program is planned again (run/fit.h).
#pragma once

#include "simcore/model/lowering/lowering_scope.h"

#include <optional>
#include <set>
#include <unordered_map>

namespace simcore::model {

class SharedNodes {
public:
  // `lowered`: the nodes with separate programs, in order; a repeated layer has one program (SectionLowering).
  SharedNodes(const Graph& source, const std::vector<std::size_t>& lowered, const std::vector<int>& ipuOfNode);

  // Whether other nodes have the same lowering, so that lower() may make the node a call.
  bool mayLower(const Node& node) const { return !m_inside && m_signatures.count(&node) != 0; }
  // Makes the node a call, appended to the builder's program. Returns false if the node must be lowered without a function.
  bool lower(LoweringScope& scope, const Node& node, const ops::OpBuilder& b);

private:
  struct Function {
    graph::FunctionId id;
    std::string name;
    reports::DebugContextId context; // of the node for which it was lowered
    std::vector<graph::Tensor> inputs, outputs;
    std::vector<std::string> constants;              // contents byte by byte
    std::vector<std::optional<std::size_t>> inPlace; // by output: the input that shares its tensor
  };
  struct Operands {
    std::vector<std::string> names; // names of inputs, each once
    std::vector<graph::Tensor> actual;
    std::vector<std::string> constants;
  };
  struct Kind {
    std::size_t left = 0; // number of nodes not lowered yet
    std::vector<Function> functions;
    bool isApart = false; // further nodes are lowered without a function
  };

  std::optional<Operands> operandsOf(LoweringScope& scope, const Node& node, const ops::OpBuilder& b) const;
  static bool mayNotCopy(const LoweringScope& scope, const ops::OpBuilder& b);
  static bool matches(const ops::OpBuilder& b, const Function& f, const Operands& operands);
  Function makeFunction(LoweringScope& scope, const Node& node, const ops::OpBuilder& b, const Operands& operands);
  void call(LoweringScope& scope, const Node& node, const ops::OpBuilder& b, const Function& f, const Operands& operands) const;
  bool isAddedUpAtOnce(const LoweringScope& scope, const Node& node, const std::string& output) const;

  const Graph& m_source;
  const std::vector<int>& m_ipuOfNode;
  std::unordered_map<const Node*, std::string> m_signatures; // of nodes that may share a function; includes the IPU
  std::map<std::string, Kind> m_kinds;
  std::unordered_map<std::string, std::vector<std::size_t>> m_readers;
  std::set<std::string> m_outputs;
  bool m_inside = false; // the body of a function is being lowered
};

} // namespace simcore::model

// One operator of the importer: what a node of it needs to know of its inputs, how output types follow, and how the host
// computes it. The same parameter parsing serves all of these: a Call hides whether a value is known (when evaluating, or a
// constant while types are inferred) or only its type is.
#pragma once

#include "simcore/model/graph.h"

#include "reports/core/error.h"

#include <functional>
#include <span>

namespace simcore::model {

class Call {
public:
  struct Operand {
    TensorType type;
    const numerics::HostTensor* value = nullptr; // null where only the type is known
  };
  // Computes a subgraph with the given inputs; names of outer graphs resolve to what encloses the node.
  using Subgraph = std::function<std::vector<numerics::HostTensor>(const Graph&, const std::vector<numerics::HostTensor>&)>;
  // Infers a subgraph's output types from input types.
  using SubgraphTypes = std::function<std::vector<TensorType>(const Graph&, const std::vector<TensorType>&)>;

  Call(const Node& node, std::vector<std::optional<Operand>> operands, Subgraph subgraph, SubgraphTypes subgraphTypes)
      : m_node(node), m_operands(std::move(operands)), m_subgraph(std::move(subgraph)),
        m_subgraphTypes(std::move(subgraphTypes)) {}

  const Node& node() const { return m_node; }
  const Attributes& attributes() const { return m_node.attributes; }
  int opset() const { return m_node.opset; }
  std::size_t inputCount() const { return m_operands.size(); }
  std::size_t outputCount() const { return m_node.outputs.size(); }
  bool wantsOutput(std::size_t i) const { return i < m_node.outputs.size() && !m_node.outputs[i].empty(); }

  bool has(std::size_t i) const { return i < m_operands.size() && m_operands[i].has_value(); }
  // Throw reports::Error(InvalidInput) where the input is absent.
  const TensorType& type(std::size_t i) const { return operand(i).type; }
  const numerics::Shape& shape(std::size_t i) const { return operand(i).type.shape; }
  numerics::ElementType elementType(std::size_t i) const { return operand(i).type.type; }
  // Throws reports::Error(Unsupported) where the value is not known before the run.
  const numerics::HostTensor& value(std::size_t i) const;
  bool isKnown(std::size_t i) const { return has(i) && m_operands[i]->value; }
  // Null where the input is absent.
  const numerics::HostTensor* optional(std::size_t i) const { return has(i) ? &value(i) : nullptr; }
  std::vector<numerics::HostTensor> values() const;

  // Integers from input `i` if it is there, else from the attribute.
  std::vector<std::int64_t> integers(std::size_t i, const std::string& attribute) const;

  const Subgraph& subgraph() const { return m_subgraph; }
  const SubgraphTypes& subgraphTypes() const { return m_subgraphTypes; }

private:
  const Operand& operand(std::size_t i) const;

  const Node& m_node;
  std::vector<std::optional<Operand>> m_operands;
  Subgraph m_subgraph;
  SubgraphTypes m_subgraphTypes;
};

using Tensors = std::vector<numerics::HostTensor>;
using Types = std::vector<TensorType>;

// The type of most operators: one output like the first input.
inline Types inferSame(const Call& call) { return {call.type(0)}; }

struct Operator {
  const char* type;            // ONNX op type
  Types (*infer)(const Call&); // one entry per output the operator can give (trailing ones may be left out)
  Tensors (*evaluate)(const Call&);
  const char* domain = ""; // "" = the standard one
  // The output depends on more than the inputs (random numbers): never folded.
  bool isRandom = false;
};

// The importer's table. Throws reports::Error(Unsupported) naming the operator and opset for one that is not in it.
const Operator& operatorFor(const Node& node);
// All entries, for listings.
std::vector<const Operator*> allOperators();

// The families that make up the table, one source each.
std::span<const Operator> elementwiseOperators();
std::span<const Operator> activationOperators();
std::span<const Operator> layoutOperators();
std::span<const Operator> indexingOperators();
std::span<const Operator> reductionOperators();
std::span<const Operator> neuralOperators();
std::span<const Operator> normalisationOperators();
std::span<const Operator> generatorOperators();
std::span<const Operator> controlOperators();
std::span<const Operator> sequenceOperators();
std::span<const Operator> visionOperators();
std::span<const Operator> gradientOperators();
std::span<const Operator> updateOperators();
std::span<const Operator> fusedOperators();
std::span<const Operator> signalOperators();

} // namespace simcore::model

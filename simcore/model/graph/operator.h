// One operator of the importer: the properties of its inputs, the inference of output types, and its computation on the host. All
// three parse parameters in the same way: a Call hides whether an input's value is known (in evaluation, or a constant during
// type inference) or only its type.
#pragma once

#include "simcore/model/graph/graph.h"

#include "reports/core/error.h"

#include <functional>
#include <span>

namespace simcore::model {

class Call {
public:
  struct Operand {
    TensorType type;
    const numerics::HostTensor* value = nullptr; // null if only the type is known
  };
  // Computes a subgraph with the given inputs; names of outer graphs resolve to the scopes around the node.
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
  // Throw reports::Error(InvalidInput) if the input is absent.
  const TensorType& type(std::size_t i) const { return operand(i).type; }
  const numerics::Shape& shape(std::size_t i) const { return operand(i).type.shape; }
  numerics::ElementType elementType(std::size_t i) const { return operand(i).type.type; }
  // Throws reports::Error(Unsupported) if the value is unknown before the run.
  const numerics::HostTensor& value(std::size_t i) const;
  bool isKnown(std::size_t i) const { return has(i) && m_operands[i]->value; }
  // Null if the input is absent.
  const numerics::HostTensor* optional(std::size_t i) const { return has(i) ? &value(i) : nullptr; }
  std::vector<numerics::HostTensor> values() const;

  // Integers from input `i` if present, else from the attribute.
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

// One operand per input of the node; `read` returns it by name and is not called for absent inputs.
template<class Read> std::vector<std::optional<Call::Operand>> operandsOf(const Node& node, Read read) {
  std::vector<std::optional<Call::Operand>> operands;
  for (const std::string& input : node.inputs)
    operands.push_back(input.empty() ? std::nullopt : std::optional<Call::Operand>(read(input)));
  return operands;
}

using Tensors = std::vector<numerics::HostTensor>;
using Types = std::vector<TensorType>;

// The type of most operators: one output like the first input.
inline Types inferSame(const Call& call) { return {call.type(0)}; }

class NodeLowering;
class GradientCall;

// Properties that let passes handle an operator without naming it.
enum Trait : unsigned {
  kPlain = 0,
  kRandom = 1 << 0,          // draws random numbers: never folded, never recomputed
  kView = 1 << 2,            // returns its first input in another shape
  kElementwise = 1 << 3,     // an element of the result depends on one element of each input; may overwrite the first
  kVariadic = 1 << 4,        // takes any number of operands
  kNonLinear = 1 << 5,       // has special codelets in popnn, in place and for its gradient
  kFusible = 1 << 6,         // fusion: a FusedConv may end with it
  kNorm = 1 << 7,            // recomputation: a norm
  kActivation = 1 << 8,      // recomputation: an activation, as cheap to recompute as the norm before it
  kDrawsOn = 1 << 9,         // every call continues with the previous call's state, so equal nodes may share one function
  kTypedByNumbers = 1 << 10, // types are found by computing the operator; results take no more memory than operands
};

// One row per operator; the sources of simcore/model/operators have one table each.
struct Operator {
  const char* type;                                // ONNX op type
  int since;                                       // the first opset of its domain with the form implemented here
  Types (*infer)(const Call&);                     // one entry per output of the operator (trailing ones may be left out)
  Tensors (*evaluate)(const Call&);                // computes the numbers on the host
  void (*lower)(NodeLowering&) = nullptr;          // the plan; null: lowerGeneric()
  void (*gradient)(const GradientCall&) = nullptr; // null: none
  unsigned traits = kPlain;
  const char* domain = ""; // "" = the standard one

  bool has(Trait trait) const { return traits & trait; }
};

// Throws reports::Error(Unsupported) naming the operator and opset if it is not in the table.
const Operator& operatorFor(const Node& node);

// The opsets in which every operator of the table is supported. The check is per node: a model of another opset may use operators
// of the table.
inline constexpr int kOldestOpset = 6, kNewestOpset = 17;
// Throws reports::Error(Unsupported) for a node of the standard domain whose form in its opset is unknown.
void requireKnownForm(const Node& node);

// All rows, for listings.
std::vector<const Operator*> allOperators();

// The families in the table, one source each.
std::span<const Operator> batchNormOperators();
std::span<const Operator> collectivesOperators();
std::span<const Operator> controlOperators();
std::span<const Operator> convolutionOperators();
std::span<const Operator> detectionOperators();
std::span<const Operator> elementwiseOperators();
std::span<const Operator> generatorsOperators();
std::span<const Operator> indexingOperators();
std::span<const Operator> layoutOperators();
std::span<const Operator> lossesOperators();
std::span<const Operator> normalisationOperators();
std::span<const Operator> poolingOperators();
std::span<const Operator> productsOperators();
std::span<const Operator> quantisedOperators();
std::span<const Operator> recurrentOperators();
std::span<const Operator> reductionOperators();
std::span<const Operator> resamplingOperators();
std::span<const Operator> signalOperators();
std::span<const Operator> slicingOperators();
std::span<const Operator> updateOperators();

} // namespace simcore::model

// Includes for every source of an operator family. A family has the parameters, types, numbers, plans and gradients of its
// operators in one source, written with three views of a node: Call, NodeLowering and GradientCall.
#pragma once

#include "reports/core/join.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/graph/operator.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/node_lowering.h"
#include "simcore/model/training/autodiff.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/reduce.h"

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::BinaryKind;
using numerics::ReduceKind;
using numerics::UnaryKind;

// ---- parameters --------------------------------------------------------------------------------------------------------------

// Throws Error(InvalidInput); its location is the current node.
[[noreturn]] void refuseNode(const std::string& message);
void requireCount(const std::string& what, std::size_t given, std::size_t needed, const std::string& unit = "value");
// A number among the attributes, in single precision.
inline double real(const Call& call, const char* name, float standard) { return double(call.attributes().real(name, standard)); }
// The axis attribute, counted from the front.
std::size_t axisOf(const Call& call, std::int64_t standard, std::size_t rank);
// The element type with this number of TensorProto.DataType. Throws Error(Unsupported) naming the operator.
ElementType elementTypeOf(const Call& call, std::int64_t number);

// dimensions(): [first, end). allButChannels(): all of `rank` dimensions except 1.
std::vector<std::size_t> dimensions(std::size_t first, std::size_t end);
std::vector<std::size_t> allButChannels(std::size_t rank);

// The enumerator for the word in an attribute.
template<class E>
E chosen(const std::string& attribute, const std::string& value, const std::vector<std::pair<const char*, E>>& choices) {
  for (const auto& [name, choice] : choices)
    if (value == name) return choice;
  refuseNode("attribute '" + attribute + "' is '" + value + "', not one of " +
             reports::joined(choices, [](const auto& c) { return std::string(c.first); }));
}

inline double epsilonOf(const Call& call) { return real(call, "epsilon", 1e-5f); }

// Shape of per-channel parameters that broadcast over all elements.
inline Shape perChannel(std::size_t rank, std::int64_t channels) {
  Shape shape(rank, 1);
  if (rank > 1) shape[1] = channels;
  return shape;
}
inline Shape perChannel(const Shape& x) { return perChannel(x.size(), x.size() > 1 ? x[1] : 1); }

// ---- types and numbers -------------------------------------------------------------------------------------------------------

// Throws Error(InvalidInput) unless input `i` is missing or broadcasts to `shape` unchanged: numbers and plans rely on it.
void requireBroadcast(const Call& call, std::size_t i, const Shape& shape);
// For gradient nodes with the shape of the input as an attribute.
Types inferShape(const Call& call);
Shape shapeOf(const Call& call);

// x times a number, in x's type.
HostTensor scaled(const HostTensor& x, double factor);

// Result type of a convolution or product: that of operand 0, except for operands of 8-bit floats (see placement/quarter_products.h).
ElementType productType(const Call& call);
// Operand `i` in the kernels' type: wider for products of 8-bit floats, where operand 0 also includes the scale.
HostTensor productOperand(const Call& call, std::size_t i);

// ---- plans -------------------------------------------------------------------------------------------------------------------

using Positions = std::vector<std::int64_t>;

// `kernel` if ops compute the numbers of the node vertex by vertex; else empty.
template<class F> ops::HostKernel partKernel(const NodeLowering& n, F f) {
  return n.byVertices() ? ops::oneResult(std::move(f)) : ops::HostKernel{};
}
// Options for the planner of the node's convolution or product.
ops::ConvOptions planOptions(const NodeLowering& n);
constexpr std::int64_t kMostPieces = 2048; // in memory; a view with more is copied
// Returns `view` if it has few pieces, else a contiguous copy, because every later reader would fetch it piece by piece.
Tensor gathered(NodeLowering& n, const Tensor& view);
// A builder in the context of a fused node's original node: the first (or last) with that operator; the fused node's own if there is none.
ops::OpBuilder partOf(NodeLowering& n, const std::string& opType, bool last = false);

// The steps of the codelet for an element-wise operator; its parameters are immediates.
std::vector<codelets::MapStep> elementwiseSteps(const std::string& type, numerics::ElementType elements);

// A new tensor from inputs `from` of the node, whose operator only moves elements, in runs of `run` elements. Inputs from
// `movable` on are parameters.
void giveMoved(NodeLowering& n, const std::vector<std::size_t>& from, std::int64_t run, std::size_t output = 0,
               std::size_t movable = SIZE_MAX, double fill = 0);
std::int64_t lastDimension(NodeLowering& n);
// Lowers operators that only move elements (repeating, rearranging in blocks) to positions known before the run.
void lowerMove(NodeLowering& n);

// ---- gradients ---------------------------------------------------------------------------------------------------------------

// Values of a call in formulas: f("Mul", f.dy, f.y). A number becomes a constant of the input's type.
class Formula {
public:
  explicit Formula(const GradientCall& call)
      : x(call.input(0)), y(call.output()), dy(call.gradient()), m_call(call), m_graph(call.graph()) {}

  const std::string &x, &y; // input and output 0
  const std::string dy;     // the gradient of the output

  std::string operator()(const char* op, const std::string& a) const { return m_graph.add(op, {a}); }
  std::string operator()(const char* op, const std::string& a, const std::string& b) const { return m_graph.add(op, {a, b}); }
  std::string operator()(const char* op, const std::string& a, double b) const { return m_graph.add(op, {a, number(b)}); }
  std::string operator()(const char* op, double a, const std::string& b) const { return m_graph.add(op, {number(a), b}); }
  std::string where(const std::string& condition, const std::string& yes, const std::string& no) const {
    return m_graph.add("Where", {condition, yes, no});
  }
  std::string scaled(const std::string& a, double factor) const { return m_graph.scaled(a, factor); }
  std::string number(double value) const { return m_graph.number(value, m_call.elementType()); }
  // An attribute of the node, in single precision.
  double attribute(const char* name, float standard) const { return double(m_call.call().attributes().real(name, standard)); }

private:
  const GradientCall& m_call;
  GraphBuilder& m_graph;
};

// The incoming gradient of a product, and the attributes of the products in the backward pass. For a product of 8-bit floats the
// gradient is in format F152; for other products it is unchanged, without attributes.
struct ProductGradient {
  explicit ProductGradient(const GradientCall& call);
  std::string dy;
  // Attributes of the gradient product with the weights, and with the input.
  Attributes withWeights(Attributes more) const { return of(std::move(more), m_weightScale); }
  Attributes withInput(Attributes more) const { return of(std::move(more), m_inputScale); }
  // The operands of the gradient product with the weights (`dy` on the left or right) and with the input, and any histories.
  std::vector<std::string> dyWeights(const std::string& a, const std::string& b) const { return operands({a, b}, 2, 1); }
  std::vector<std::string> weightsDy(const std::string& a, const std::string& b) const { return operands({a, b}, 1, 2); }
  std::vector<std::string> inputDy(const std::string& a, const std::string& b) const { return operands({a, b}, 0, 2); }
  std::vector<std::string> dyInput(const std::string& a, const std::string& b) const { return operands({a, b}, 2, 0); }

private:
  Attributes of(Attributes more, std::int64_t scale) const;
  std::vector<std::string> operands(std::vector<std::string> values, std::size_t first, std::size_t second) const;
  bool m_isQuarter = false;
  std::vector<std::string> m_histories; // of input, weights and gradient
  std::int64_t m_weightScale = 0, m_inputScale = 0, m_type = 0;
};

// Some gradients run the forward operator in reverse: MovementGrad and ResizeGrad have that operator, its opset and the shape of the input
// in their attributes. Sets the gradient of input 0 of the node to the result of `gradientOperator` (of kOwnDomain), with the node's inputs
// (the incoming gradient instead of the first) and attributes. Does nothing if no gradient of input 0 is needed.
void giveReversed(const GradientCall& c, const char* gradientOperator);
// Returns each gradient element to the input element it came from; gradients of repeated elements are summed.
void moveBack(const GradientCall& c);
// The forward operator stored in such a gradient node: operator, opset and attributes, without inputs and outputs.
Node forwardNode(const Call& gradient);

// Replicas that share the variables of the node (ops/collective/shares.h); 1: each has all of them.
inline std::int64_t shardsOf(const NodeLowering& n) { return n.call().attributes().integer("shards", 1); }

} // namespace simcore::model

// Nodes that fusion passes made. What follows a convolution is one map over its result; every part stands under the context
// of the node of the file that it came from.
#include "simcore/model/evaluate.h"
#include "simcore/model/lowering/convolution_geometry.h"
#include "simcore/model/lowering/lowering_scope.h"
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/lowering/node_lowering.h"
#include "simcore/model/operators/fused_convolution.h"
#include "simcore/numerics/elementwise.h"

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::Shape;

namespace {

// A builder under the context of one of the nodes that were fused; the node's own if none has that operator.
ops::OpBuilder partOf(NodeLowering& n, const std::string& opType, bool last = false) {
  const Node::Origin* found = nullptr;
  for (const Node::Origin& origin : n.node().fused)
    if (origin.opType == opType && (last || !found)) found = &origin;
  if (!found) return n.parts();
  const ops::OpBuilder& parts = n.parts();
  graph::Graph& g = parts.graph();
  return ops::OpBuilder(g, parts.program(), g.addContext(parts.context(), found->name, "onnx", opType), parts.withNumbers(),
                        parts.ipu())
      .withAvailableMemory(parts.availableMemoryProportion());
}

// What follows the convolution: its result and all that is added to it, then the activation.
ops::HostKernel addAndActivate(const NodeLowering& n) {
  return partKernel(n, [node = n.node()](const std::vector<numerics::HostTensor>& in) {
    numerics::HostTensor y = in[0];
    for (std::size_t i = 1; i < in.size(); ++i) y = numerics::binary(numerics::BinaryKind::Add, y, in[i]);
    if (!node.attributes.has(kActivation)) return y;
    Node activation = activationOf(node);
    activation.inputs = {"x"};
    return evaluateNode(activation, {{"x", y}}).at(0);
  });
}

void lowerFusedConvolution(NodeLowering& n) {
  const ConvolutionParameters c = convolutionParameters(n.call());
  const Tensor y = convolved(n, partOf(n, "Conv"), n.input(0), n.input(1), c);
  const numerics::ElementType type = y.elementType();
  std::vector<MapStep> steps;
  std::vector<Tensor> operands{y};
  if (n.has(2)) {
    Shape channels(y.rank(), 1);
    channels[1] = y.dim(1);
    steps.push_back({BinaryOp::Add, type});
    operands.push_back(n.input(2).reshape(channels));
  }
  std::string owner = "Conv";
  if (n.has(3)) {
    steps.push_back({BinaryOp::Add, type});
    operands.push_back(n.input(3).reshape(y.shape()));
    owner = "Add";
  }
  if (n.call().attributes().has(kActivation)) {
    owner = n.call().attributes().text(kActivation, "");
    for (const MapStep& step : elementwiseSteps(owner, type)) steps.push_back(step);
  }
  if (owner == "Conv" && n.has(2))
    ops::addBias(n.parts(), y, n.input(2));
  else if (!steps.empty())
    ops::mapInPlace(partOf(n, owner, true), owner, steps, operands, addAndActivate(n));
  n.give(y);
}

void lowerSwish(NodeLowering& n) {
  const Tensor x = n.input(0);
  const std::vector<MapStep> steps = elementwiseSteps("Swish", x.elementType());
  if (n.mayOverwrite(0)) {
    ops::mapInPlace(n.parts(), "Swish", steps, {x}, n.own({0}));
    return n.give(x);
  }
  n.give(ops::map(n.parts(), "Swish", steps, {x}, n.outputType(), n.outputShape(), n.own({0})));
}

// Scores and perhaps the mask, which is added or chooses.
ops::HostKernel scaleAndMask(const NodeLowering& n) {
  const double scale = double(n.call().attributes().real("scale", 1)), fill = double(n.call().attributes().real("fill", 0));
  return partKernel(n, [scale, fill](const std::vector<numerics::HostTensor>& in) {
    using numerics::HostTensor;
    const HostTensor y = numerics::binary(numerics::BinaryKind::Mul, in[0], HostTensor::full(in[0].type(), {}, scale));
    if (in.size() < 2) return y;
    return in[1].type() == numerics::ElementType::Bool ? numerics::where(in[1], y, HostTensor::full(y.type(), {}, fill))
                                                       : numerics::binary(numerics::BinaryKind::Add, y, in[1]);
  });
}

// Heads are groups of one product each; permuted inputs are views, so that they are rearranged on the way to the product.
void lowerAttention(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  const auto ordered = [&](std::size_t i, const char* attribute) {
    const auto order = a.integers(attribute);
    const Tensor x = n.input(i);
    return order.empty() ? x : x.dimShuffle(std::vector<std::size_t>(order.begin(), order.end()));
  };
  const Tensor q = ordered(0, "q_order"), k = ordered(1, "k_order"), v = ordered(2, "v_order");
  std::vector<std::size_t> swapped(k.rank());
  for (std::size_t i = 0; i < swapped.size(); ++i) swapped[i] = i;
  std::swap(swapped[k.rank() - 1], swapped[k.rank() - 2]);
  const Tensor scores = ops::matmul(partOf(n, "MatMul"), q, k.dimShuffle(swapped), {}, planOptions(n));
  const bool selects = n.has(3) && n.call().elementType(3) == numerics::ElementType::Bool;
  std::vector<MapStep> steps;
  std::vector<Tensor> operands{scores};
  if (a.real("scale", 1) != 1) steps.push_back({BinaryOp::Multiply, scores.elementType()});
  if (n.has(3)) {
    if (selects)
      steps.push_back({codelets::TernaryOp::Select, scores.elementType()});
    else
      steps.push_back({BinaryOp::Add, scores.elementType()});
    operands.push_back(n.input(3));
  }
  const char* owner = selects ? "Where" : n.has(3) ? "Add" : "Mul";
  if (!steps.empty()) ops::mapInPlace(partOf(n, owner), "scale and mask", steps, operands, scaleAndMask(n));
  const Tensor p = ops::softmax(partOf(n, "Softmax"), scores, scores.rank() - 1, false);
  const Tensor out = ops::matmul(partOf(n, "MatMul", true), p, v, {}, planOptions(n));
  const auto order = a.integers("out_order");
  n.give(order.empty() ? out
                       : ops::transpose(partOf(n, "Transpose", true), out, std::vector<std::size_t>(order.begin(), order.end())));
}

constexpr LoweringEntry kFusedLowerings[] = {
    {"FusedConv", lowerFusedConvolution},
    {"Swish", lowerSwish},
    {"Attention", lowerAttention},
};

} // namespace

std::span<const LoweringEntry> fusedLowerings() { return kFusedLowerings; }

} // namespace simcore::model

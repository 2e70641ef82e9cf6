// Operators that only fusion passes make.
#include "simcore/model/graph_builder.h"
#include "simcore/model/operators/fused_convolution.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/matmul.h"

#include <algorithm>

namespace simcore::model {

using numerics::BinaryKind;
using numerics::HostTensor;
using numerics::Shape;
using numerics::UnaryKind;

bool isFusibleActivation(const Node& node) {
  static const std::set<std::string> standard{"Relu", "Sigmoid",     "Tanh",      "LeakyRelu", "Elu",
                                              "Clip", "HardSigmoid", "HardSwish", "Softplus",  "Selu"};
  if (node.outputs.size() != 1) return false;
  return node.domain.empty() ? standard.count(node.opType) != 0 : node.domain == kOwnDomain && node.opType == "Swish";
}

Node activationOf(const Node& fused) {
  constexpr int kOldClip = 6; // limits are attributes
  Node node;
  node.opType = fused.attributes.text(kActivation, "");
  node.domain = node.opType == "Swish" ? kOwnDomain : "";
  node.opset = node.opType == "Clip" ? kOldClip : fused.opset;
  node.outputs = {"y"};
  const std::string prefix = std::string(kActivation) + ".";
  for (const auto& [name, value] : fused.attributes.all())
    if (name.starts_with(prefix)) node.attributes.set(name.substr(prefix.size()), value);
  return node;
}

namespace {

Types inferFused(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  return {{call.elementType(0), numerics::convolutionShape(call.shape(0), call.shape(1), p.window, p.groups)}};
}
Tensors fusedConvolution(const Call& call) {
  const ConvolutionParameters p = convolutionParameters(call);
  const HostTensor y =
      numerics::convolution(call.value(0), call.value(1), call.optional(2), p.window, p.groups, call.optional(3));
  if (!call.attributes().has(kActivation)) return {y};
  const Node node = activationOf(call.node());
  return operatorFor(node).evaluate(Call(node, {Call::Operand{{y.type(), y.shape()}, &y}}, {}, {}));
}

Types inferSwish(const Call& call) { return {call.type(0)}; }
Tensors swish(const Call& call) {
  return {numerics::binary(BinaryKind::Mul, call.value(0), numerics::unary(UnaryKind::Sigmoid, call.value(0)))};
}

// Attention(q, k, v, mask?): softmax(scale q k^T + mask) v, or with `fill` in place of scores where a mask of booleans is false, over the last two dimensions, heads before them. `q_order`,
// `k_order`, `v_order` permute the inputs first, `out_order` the result, so that splitting heads moves nothing by itself.
Shape permuted(const Shape& shape, const std::vector<std::int64_t>& order) {
  Shape result;
  for (const std::int64_t axis : order) result.push_back(shape[std::size_t(axis)]);
  return order.empty() ? shape : result;
}
HostTensor permuted(const HostTensor& x, const std::vector<std::int64_t>& order) {
  return order.empty() ? x : numerics::transpose(x, std::vector<std::size_t>(order.begin(), order.end()));
}
Types inferAttention(const Call& call) {
  const Attributes& a = call.attributes();
  Shape keys = permuted(call.shape(1), a.integers("k_order"));
  std::swap(keys[keys.size() - 1], keys[keys.size() - 2]);
  const Shape scores = numerics::matmulShape(permuted(call.shape(0), a.integers("q_order")), keys);
  const Shape out = numerics::matmulShape(scores, permuted(call.shape(2), a.integers("v_order")));
  return {{call.elementType(0), permuted(out, a.integers("out_order"))}};
}
Tensors attention(const Call& call) {
  const Attributes& a = call.attributes();
  const HostTensor q = permuted(call.value(0), a.integers("q_order")), k = permuted(call.value(1), a.integers("k_order"));
  std::vector<std::size_t> swapped(k.rank());
  for (std::size_t i = 0; i < swapped.size(); ++i) swapped[i] = i;
  std::swap(swapped[k.rank() - 1], swapped[k.rank() - 2]);
  HostTensor scores = numerics::matmul(q, numerics::transpose(k, swapped));
  if (const double scale = double(a.real("scale", 1)); scale != 1)
    scores = numerics::binary(BinaryKind::Mul, scores, HostTensor::full(scores.type(), {}, scale));
  if (call.has(3))
    scores = call.elementType(3) == numerics::ElementType::Bool
                 ? numerics::where(call.value(3), scores, HostTensor::full(scores.type(), {}, double(a.real("fill", 0))))
                 : numerics::binary(BinaryKind::Add, scores, call.value(3));
  Node softmax;
  softmax.opType = "Softmax";
  softmax.opset = 13;
  softmax.outputs = {"p"};
  softmax.attributes.set("axis", std::int64_t(-1));
  const Tensors p =
      operatorFor(softmax).evaluate(Call(softmax, {Call::Operand{{scores.type(), scores.shape()}, &scores}}, {}, {}));
  return {permuted(numerics::matmul(p[0], permuted(call.value(2), a.integers("v_order"))), a.integers("out_order"))};
}

constexpr Operator kFusedOperators[] = {
    {"FusedConv", inferFused, fusedConvolution, kOwnDomain},
    {"Swish", inferSwish, swish, kOwnDomain},
    {"Attention", inferAttention, attention, kOwnDomain},
};

} // namespace

std::span<const Operator> fusedOperators() { return kFusedOperators; }

} // namespace simcore::model

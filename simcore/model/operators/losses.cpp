// Softmax and related functions, and losses over classes.
#include "simcore/model/operators/family.h"
#include "simcore/numerics/normalisation.h"

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

// Softmax and related functions: before opset 13 everything from the axis on is one dimension. `shape`: the operator's view of its input.
struct SoftmaxParameters {
  Shape shape;
  std::size_t axis = 0;
};

SoftmaxParameters softmaxParameters(const Call& call) {
  const Shape& from = call.shape(0);
  if (call.opset() >= 13) return {from, axisOf(call, -1, from.size())};
  const std::int64_t axis = call.attributes().integer("axis", 1);
  const std::size_t at = axis == std::int64_t(from.size()) ? from.size() : numerics::normaliseAxis(axis, from.size());
  return {{numerics::elementCount(from, 0, at), numerics::elementCount(from, at, from.size())}, 1};
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

numerics::LossReduction lossReduction(const Call& call) {
  using numerics::LossReduction;
  return chosen<LossReduction>("reduction", call.attributes().text("reduction", "mean"),
                               {{"none", LossReduction::None}, {"sum", LossReduction::Sum}, {"mean", LossReduction::Mean}});
}
std::optional<std::int64_t> ignoredClass(const Call& call) {
  if (!call.attributes().has("ignore_index")) return {};
  return call.attributes().integer("ignore_index", 0);
}
// Logits have the classes in dimension 1; targets have all other dimensions; there is one weight per class.
void requireLossShapes(const Call& call) {
  const numerics::Shape &logits = call.shape(0), &target = call.shape(1);
  const auto require = [&](const std::string& what, const numerics::Shape& shape, const numerics::Shape& needed) {
    if (shape != needed)
      refuseNode(what + " has the shape " + numerics::toString(shape) + "; logits of " + numerics::toString(logits) + " need " +
                 numerics::toString(needed));
  };
  if (logits.size() < 2) refuseNode("logits need a class dimension, not the shape " + numerics::toString(logits));
  numerics::Shape wanted = logits;
  wanted.erase(wanted.begin() + 1);
  require("the target", target, wanted);
  if (call.has(2)) require("the weight", call.shape(2), {logits[1]});
}
TensorType lossType(const Call& call) {
  requireLossShapes(call);
  return {call.elementType(0), lossReduction(call) == numerics::LossReduction::None ? call.shape(1) : Shape{}};
}
HostTensor loss(const Call& call, const HostTensor& logs) {
  const auto ignored = ignoredClass(call);
  return numerics::negativeLogLikelihood(logs, call.value(1), call.optional(2), lossReduction(call),
                                         ignored ? &*ignored : nullptr);
}
Tensors logLikelihoodGrad(const Call& call) {
  const auto ignored = ignoredClass(call);
  return {numerics::negativeLogLikelihoodGradient(call.value(0), call.value(1), call.optional(2), lossReduction(call),
                                                  ignored ? &*ignored : nullptr, shapeOf(call))};
}
Types inferLoss(const Call& call) { return {lossType(call)}; }
Tensors negativeLogLikelihood(const Call& call) { return {loss(call, call.value(0))}; }
Types inferCrossEntropy(const Call& call) { return {lossType(call), call.type(0)}; }
Tensors crossEntropy(const Call& call) {
  const HostTensor logs = numerics::logSoftmax(call.value(0), 1);
  return {loss(call, logs), logs};
}

Types inferSoftmax(const Call& call) {
  softmaxParameters(call); // checks the axis
  return inferSame(call);
}
template<HostTensor (*kernel)(const HostTensor&, std::size_t)> Tensors softmax(const Call& call) {
  const SoftmaxParameters p = softmaxParameters(call);
  return {kernel(call.value(0).reshaped(p.shape), p.axis).reshaped(call.shape(0))};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// Targets' weights, reduction and the ignored class.
ops::TargetLoss targetLoss(NodeLowering& n) {
  ops::TargetLoss loss{{}, lossReduction(n.call()), ignoredClass(n.call())};
  if (n.has(2)) loss.weights = n.input(2);
  return loss;
}

void lowerLogLikelihoodGrad(NodeLowering& n) {
  const Tensor targets = n.input(1), gradient = n.input(0);
  n.give(ops::negativeLogLikelihoodGradient(n.builder(), gradient, targets, targetLoss(n), n.outputType(), n.outputShape()));
}

// Finds the index of each row's maximum, then encodes it as one-hot.
void lowerHardmax(NodeLowering& n) {
  const SoftmaxParameters p = softmaxParameters(n.call());
  const Tensor best = ops::argReduce(n.builder(), n.input(0).reshape(p.shape), p.axis, true, false, false);
  n.give(ops::encodeOneHot(n.builder(), best, p.axis, p.shape[p.axis], n.outputType()));
}

void lowerSoftmax(NodeLowering& n) {
  const SoftmaxParameters p = softmaxParameters(n.call());
  const Tensor x = n.input(0);
  const Tensor view = x.shape() == p.shape ? x : x.reshape(p.shape);
  n.give(ops::softmax(n.builder(), view, p.axis, n.node().opType == "LogSoftmax"));
}

void giveLoss(NodeLowering& n, const Tensor& logs) {
  const Tensor targets = n.input(1);
  const Tensor loss = ops::negativeLogLikelihood(n.builder(), logs, targets, targetLoss(n));
  n.give(loss.elementType() == n.outputType() ? loss : ops::cast(n.builder(), loss, n.outputType()));
}
void lowerLogLikelihood(NodeLowering& n) { giveLoss(n, n.input(0)); }
void lowerCrossEntropy(NodeLowering& n) {
  const Tensor logs = ops::softmax(n.builder(), n.input(0), 1, true);
  giveLoss(n, logs);
  if (n.call().wantsOutput(1)) n.give(logs, 1);
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

void softmaxBack(const GradientCall& c) {
  const SoftmaxParameters p = softmaxParameters(c.call());
  GraphBuilder& g = c.graph();
  const std::string dy = g.reshape(c.gradient(), p.shape), y = g.reshape(c.output(), p.shape);
  const std::vector<std::int64_t> axis{std::int64_t(p.axis)};
  std::string dx;
  if (c.node().opType == "LogSoftmax") {
    // dy - softmax * sum(dy)
    dx = g.add("Sub", {dy, g.add("Mul", {g.add("Exp", {y}), g.reduce("ReduceSum", dy, axis, true)})});
  } else {
    // y * (dy - sum(dy * y))
    dx = g.add("Mul", {y, g.add("Sub", {dy, g.reduce("ReduceSum", g.add("Mul", {dy, y}), axis, true)})});
  }
  c.give(0, g.reshape(dx, c.call().shape(0)));
}

Attributes lossAttributes(const GradientCall& c) {
  Attributes a = c.call().attributes();
  a.set("shape", c.call().shape(0));
  return a;
}
std::vector<std::string> lossInputs(const GradientCall& c) {
  std::vector<std::string> inputs = c.node().inputs;
  inputs[0] = c.gradient();
  return inputs;
}
void logLikelihoodBack(const GradientCall& c) {
  c.give(0, c.graph().addOwn("NegativeLogLikelihoodLossGrad", lossInputs(c), lossAttributes(c)));
}

void crossEntropyBack(const GradientCall& c) {
  if (!c.wants(0)) return;
  GraphBuilder& g = c.graph();
  // The gradient of the log-probabilities first, because they may be an output too.
  std::string dLog;
  if (!c.gradient(0).empty()) dLog = g.addOwn("NegativeLogLikelihoodLossGrad", lossInputs(c), lossAttributes(c));
  if (const std::string other = c.gradient(1); !other.empty()) dLog = dLog.empty() ? other : g.add("Add", {dLog, other});
  const std::string probabilities = c.call().wantsOutput(1)
                                        ? g.add("Exp", {c.output(1)})
                                        : g.add("Softmax", {c.input(0)}, attributes({{"axis", std::int64_t(1)}}));
  c.give(0, g.add("Sub", {dLog, g.add("Mul", {probabilities, g.reduce("ReduceSum", dLog, {1}, true)})}));
}

constexpr Operator kLossesOperators[] = {
    {"Softmax", 1, inferSoftmax, softmax<numerics::softmax>, lowerSoftmax, softmaxBack},
    {"LogSoftmax", 1, inferSoftmax, softmax<numerics::logSoftmax>, lowerSoftmax, softmaxBack},
    {"Hardmax", 1, inferSoftmax, softmax<numerics::hardmax>, lowerHardmax},
    {"NegativeLogLikelihoodLoss", 12, inferLoss, negativeLogLikelihood, lowerLogLikelihood, logLikelihoodBack},
    {"SoftmaxCrossEntropyLoss", 12, inferCrossEntropy, crossEntropy, lowerCrossEntropy, crossEntropyBack},
    {"NegativeLogLikelihoodLossGrad", 1, inferShape, logLikelihoodGrad, lowerLogLikelihoodGrad, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> lossesOperators() { return kLossesOperators; }

} // namespace simcore::model

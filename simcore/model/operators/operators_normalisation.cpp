// Normalisations, dropout and losses.
#include "simcore/model/parameters.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"

namespace simcore::model {

using numerics::BinaryKind;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

namespace {

Types inferBatchNorm(const Call& call) { return {call.type(0), call.type(3), call.type(4)}; }
Tensors batchNorm(const Call& call) {
  const double epsilon = double(call.attributes().real("epsilon", 1e-5f));
  const HostTensor& x = call.value(0);
  if (!call.attributes().integer("training_mode", 0))
    return {numerics::batchNorm(x, call.value(1), call.value(2), call.value(3), call.value(4), epsilon), call.value(3),
            call.value(4)};
  const numerics::Moments moments = numerics::channelMoments(x);
  const double momentum = double(call.attributes().real("momentum", 0.9f));
  const auto blended = [&](const HostTensor& old, const HostTensor& now) {
    const auto scaled = [](const HostTensor& t, double f) {
      return numerics::binary(BinaryKind::Mul, t, HostTensor::full(t.type(), {}, f));
    };
    return numerics::binary(BinaryKind::Add, scaled(old, momentum), scaled(now.cast(old.type()), 1 - momentum));
  };
  return {numerics::batchNorm(x, call.value(1), call.value(2), moments.mean, moments.variance, epsilon),
          blended(call.value(3), moments.mean), blended(call.value(4), moments.variance)};
}

Tensors instanceNorm(const Call& call) {
  const HostTensor& x = call.value(0);
  if (x.rank() < 3) throw Error(ErrorCode::InvalidInput, "InstanceNormalization needs a rank of 3 or more");
  return {numerics::groupNorm(x, call.value(1), call.value(2), x.dim(1), double(call.attributes().real("epsilon", 1e-5f)))};
}
Tensors groupNorm(const Call& call) {
  const std::int64_t groups = call.attributes().requiredInteger("num_groups");
  const auto ofChannels = [&](const HostTensor& t) { // before opset 21 there is one for each group
    if (!call.node().domain.empty() || call.opset() >= 21 || groups < 1 || t.count() != groups) return t;
    const std::int64_t each = call.value(0).dim(1) / groups;
    return numerics::expand(t.reshaped({groups, 1}), {groups, each}).reshaped({groups * each});
  };
  return {numerics::groupNorm(call.value(0), ofChannels(call.value(1)), ofChannels(call.value(2)), groups,
                              double(call.attributes().real("epsilon", 1e-5f)))};
}

Types inferLayerNorm(const Call& call) {
  const std::size_t axis = axisOf(call, -1, call.shape(0).size());
  Shape kept = call.shape(0);
  std::fill(kept.begin() + std::ptrdiff_t(axis), kept.end(), 1);
  return {call.type(0), {ElementType::Float, kept}, {ElementType::Float, kept}};
}
Tensors layerNorm(const Call& call) {
  const auto result = numerics::layerNorm(call.value(0), call.value(1), call.optional(2), axisOf(call, -1, call.shape(0).size()),
                                          double(call.attributes().real("epsilon", 1e-5f)));
  return {result.output, result.mean, result.inverseDeviation};
}

Tensors localResponseNorm(const Call& call) {
  const Attributes& a = call.attributes();
  return {numerics::localResponseNorm(call.value(0), a.requiredInteger("size"), double(a.real("alpha", 1e-4f)),
                                      double(a.real("beta", 0.75f)), double(a.real("bias", 1.0f)))};
}
Tensors lpNorm(const Call& call) {
  return {numerics::lpNorm(call.value(0), axisOf(call, -1, call.shape(0).size()), int(call.attributes().integer("p", 2)))};
}
Tensors meanVarianceNorm(const Call& call) {
  std::vector<std::int64_t> axes = call.attributes().integers("axes");
  if (axes.empty()) axes = {0, 2, 3};
  return {numerics::meanVarianceNorm(call.value(0), numerics::normaliseAxes(axes, call.shape(0).size(), false))};
}

// In inference dropout is the identity, in training with a ratio of 0 too. Any other is drawn by the tiles of a machine
// (node_expansion.h): there is no number to compute on the host.
void requireInference(const Call& call) {
  const bool training = call.has(2) && call.value(2).integerAt(0) != 0;
  if (training && (!call.has(1) || call.value(1).at(0) != 0))
    throw Error(ErrorCode::Unsupported, "Dropout in training mode is drawn on a machine, not computed before the run");
}
Types inferDropout(const Call& call) {
  requireInference(call);
  return {call.type(0), {ElementType::Bool, call.shape(0)}};
}
Tensors dropout(const Call& call) {
  requireInference(call);
  if (!call.wantsOutput(1)) return {call.value(0)};
  return {call.value(0), HostTensor::full(ElementType::Bool, call.shape(0), 1)};
}

numerics::LossReduction lossReduction(const Call& call) {
  const std::string name = call.attributes().text("reduction", "mean");
  if (name == "none") return numerics::LossReduction::None;
  if (name == "sum") return numerics::LossReduction::Sum;
  if (name == "mean") return numerics::LossReduction::Mean;
  throw Error(ErrorCode::InvalidInput, "attribute 'reduction' is '" + name + "'");
}
// Logits have a class dimension after the first; the target has the others, the weights have the classes.
void requireLossShapes(const Call& call) {
  const numerics::Shape &logits = call.shape(0), &target = call.shape(1);
  const auto refuse = [&](const std::string& what, const numerics::Shape& shape) {
    throw Error(ErrorCode::InvalidInput, what + " of the shape " + numerics::toString(shape) +
                                             " does not fit logits of the shape " + numerics::toString(logits));
  };
  if (logits.size() < 2) refuse("a target", target);
  numerics::Shape wanted = logits;
  wanted.erase(wanted.begin() + 1);
  if (target != wanted) refuse("a target", target);
  if (call.has(2) && call.shape(2) != numerics::Shape{logits[1]}) refuse("a weight", call.shape(2));
}
TensorType lossType(const Call& call) {
  requireLossShapes(call);
  return {call.elementType(0), lossReduction(call) == numerics::LossReduction::None ? call.shape(1) : Shape{}};
}
HostTensor loss(const Call& call, const HostTensor& logs) {
  const bool ignores = call.attributes().has("ignore_index");
  const std::int64_t ignored = call.attributes().integer("ignore_index", 0);
  return numerics::negativeLogLikelihood(logs, call.value(1), call.optional(2), lossReduction(call),
                                         ignores ? &ignored : nullptr);
}
Types inferLoss(const Call& call) { return {lossType(call)}; }
Tensors negativeLogLikelihood(const Call& call) { return {loss(call, call.value(0))}; }
Types inferCrossEntropy(const Call& call) { return {lossType(call), call.type(0)}; }
Tensors crossEntropy(const Call& call) {
  const HostTensor logs = numerics::logSoftmax(call.value(0), 1);
  return {loss(call, logs), logs};
}

constexpr Operator kNormalisationOperators[] = {
    {"BatchNormalization", inferBatchNorm, batchNorm},
    {"InstanceNormalization", inferSame, instanceNorm},
    {"GroupNormalization", inferSame, groupNorm, "ai.graphcore"},
    {"GroupNormalization", inferSame, groupNorm},
    {"LayerNormalization", inferLayerNorm, layerNorm},
    {"LRN", inferSame, localResponseNorm},
    {"LpNormalization", inferSame, lpNorm},
    {"MeanVarianceNormalization", inferSame, meanVarianceNorm},
    {"Dropout", inferDropout, dropout},
    {"NegativeLogLikelihoodLoss", inferLoss, negativeLogLikelihood},
    {"SoftmaxCrossEntropyLoss", inferCrossEntropy, crossEntropy},
};

} // namespace

std::span<const Operator> normalisationOperators() { return kNormalisationOperators; }

} // namespace simcore::model

// Batch norms. With fixed statistics they are an affine map per channel; in training the gradient and recomputation read the
// batch statistics.
#include "simcore/model/operators/family.h"
#include "simcore/model/training/batch_statistics.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/ops/network/normalisation.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

Types inferBatchNorm(const Call& call) { return {call.type(0), call.type(3), call.type(4)}; }
Types inferTrainedBatchNorm(const Call& call) {
  const TensorType statistic{call.elementType(0), call.shape(1)};
  return {call.type(0), call.type(3), call.type(4), statistic, statistic, statistic, statistic};
}
Types inferBatchNormGrad(const Call& call) { return {call.type(0), call.type(4), call.type(4)}; }

Tensors trainedBatchNorm(const Call& call) {
  const double epsilon = epsilonOf(call), momentum = real(call, "momentum", 0.9f);
  const HostTensor& x = call.value(0);
  const numerics::Moments moments = numerics::channelMoments(x);
  const auto blended = [&](const HostTensor& old, const HostTensor& now) {
    return numerics::binary(BinaryKind::Add, scaled(old, momentum), scaled(now.cast(old.type()), 1 - momentum));
  };
  const HostTensor mean = moments.mean.reshaped(call.value(1).shape()), variance = moments.variance.reshaped(mean.shape());
  const HostTensor moved = numerics::binary(BinaryKind::Add, variance, HostTensor::full(variance.type(), {}, epsilon));
  const HostTensor inverse = numerics::unary(UnaryKind::Reciprocal, numerics::unary(UnaryKind::Sqrt, moved));
  const HostTensor factor = numerics::binary(BinaryKind::Mul, inverse, call.value(1).cast(inverse.type()));
  const HostTensor shift =
      numerics::binary(BinaryKind::Sub, call.value(2).cast(mean.type()), numerics::binary(BinaryKind::Mul, mean, factor));
  return {numerics::batchNorm(x, call.value(1), call.value(2), mean, variance, epsilon),
          blended(call.value(3), mean),
          blended(call.value(4), variance),
          mean,
          inverse,
          factor,
          shift};
}
Tensors batchNorm(const Call& call) {
  if (!call.attributes().integer("training_mode", 0))
    return {numerics::batchNorm(call.value(0), call.value(1), call.value(2), call.value(3), call.value(4), epsilonOf(call)),
            call.value(3), call.value(4)};
  Tensors all = trainedBatchNorm(call);
  all.resize(kMean);
  return all;
}

Tensors applyBatchNorm(const Call& call) {
  const HostTensor& x = call.value(0);
  const Shape channels = perChannel(x.rank(), call.value(1).count());
  const auto along = [&](std::size_t i) { return call.value(i).cast(x.type()).reshaped(channels); };
  return {numerics::binary(BinaryKind::Add, numerics::binary(BinaryKind::Mul, x, along(1)), along(2))};
}

// Inputs: d, x, mean, inverse deviation and factor. If x contains the batches of neighbours too, the gradients of parameters are
// still scaled to the node's own batch.
Tensors batchNormGrad(const Call& call) {
  const HostTensor& x = call.value(1);
  const numerics::BatchNormGradients g =
      numerics::batchNormGradient(call.value(0), x, call.value(2), call.value(3), call.value(4));
  const double share = double(call.attributes().integer("batch", x.dim(0))) / double(x.dim(0));
  return {g.x, scaled(g.scale, share), scaled(g.bias, share)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// Number of neighbouring replicas that share batch statistics (an additional attribute).
std::int64_t replicasTogether(NodeLowering& n) {
  const std::int64_t replicas = n.call().attributes().integer("replicas_together", 1);
  if (replicas > 1) n.computeWithNeighbours(replicas);
  return replicas;
}

// Statistics of the batch, and the running statistics updated with them.
void lowerTrainedBatchNorm(NodeLowering& n) {
  const Tensor x = n.input(0);
  const double epsilon = epsilonOf(n.call()), momentum = real(n.call(), "momentum", 0.9f);
  const ops::BatchStatistics s = ops::batchStatistics(n.builder(), x, n.input(1), n.input(2), epsilon, replicasTogether(n));
  n.give(ops::scaleChannels(n.builder(), x, s.factor, s.shift, n.mayOverwrite(0)));
  const ElementType type = s.mean.elementType();
  const auto blend = ops::mapSteps(type, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add});
  const auto blended = [&](std::size_t i, const Tensor& statistic, std::vector<MapStep> steps, auto valueOf) {
    if (!n.call().wantsOutput(i)) return;
    steps.insert(steps.end(), blend.begin(), blend.end());
    const Tensor old = n.input(i + 2), now = statistic.reshape(old.shape());
    n.give(ops::map(n.builder(), "running", steps, {old, now}, n.outputType(i), old.shape(),
                    partKernel(n, ops::eachElement([momentum, valueOf](const auto& v) {
                                 return momentum * v(0) + (1 - momentum) * valueOf(v(1));
                               }))),
           i);
  };
  blended(1, s.mean, {}, [](double mean) { return mean; });
  blended(2, s.inverseDeviation, {{UnaryOp::Square, type}, {UnaryOp::Inverse, type}, {BinaryOp::Subtract, type}},
          [epsilon](double inverse) { return std::max(0.0, 1 / (inverse * inverse) - epsilon); });
  for (const auto& [i, statistic] :
       {std::pair{kMean, s.mean}, {kInverseDeviation, s.inverseDeviation}, {kFactor, s.factor}, {kShift, s.shift}})
    if (n.call().wantsOutput(i)) n.give(statistic, i);
}

void lowerApplyBatchNorm(NodeLowering& n) {
  n.give(ops::scaleChannels(n.builder(), n.input(0), n.input(1), n.input(2), n.mayOverwrite(0)));
}

void lowerBatchNormGrad(NodeLowering& n) {
  std::optional<ops::Overwritten> how;
  if (n.call().wantsOutput(0))
    how = n.mayOverwrite(0)   ? ops::Overwritten::Gradient
          : n.mayOverwrite(1) ? ops::Overwritten::Input
                              : ops::Overwritten::Nothing;
  const ElementType parameters = n.scope().deviceType(n.call().elementType(4));
  const ops::BatchNormGradients g = ops::batchNormGradient(
      n.builder(), n.input(0), n.input(1), {n.input(2), n.input(3), n.input(4), {}}, parameters, how, replicasTogether(n));
  if (how) n.give(g.x, 0);
  if (n.call().wantsOutput(1)) n.give(g.scale, 1);
  if (n.call().wantsOutput(2)) n.give(g.bias, 2);
}

// Scale and shift per channel; the statistics are folded into them if they are constants.
void lowerBatchNorm(NodeLowering& n) {
  if (n.call().outputCount() > 3) return lowerGeneric(n);
  if (n.call().attributes().integer("training_mode", 0)) return lowerTrainedBatchNorm(n);
  for (std::size_t i = 1; i < 3; ++i) // outside training: unchanged
    if (n.call().wantsOutput(i)) n.giveView(n.input(i + 2), i);
  const Tensor x = n.input(0);
  const double epsilon = epsilonOf(n.call());
  const Shape channels = perChannel(x.rank(), n.call().shape(1)[0]);
  std::vector<Tensor> inputs{x};
  Tensors immediates;
  const bool folds = n.call().isKnown(3) && n.call().isKnown(4);
  for (std::size_t i = 1; i < 5; ++i)
    if (i < 3 || !folds)
      inputs.push_back(n.input(i).reshape(channels));
    else
      immediates.push_back(n.call().value(i).reshaped(channels));
  const std::vector<MapStep> steps = folds ? ops::mapSteps(x.elementType(), {BinaryOp::Multiply, BinaryOp::Add})
                                           : ops::mapSteps(x.elementType(), {BinaryOp::Subtract, BinaryOp::VarianceToInvStdDev,
                                                                             BinaryOp::Multiply, BinaryOp::Add});
  const auto kernel = partKernel(
      n, ops::eachElement([epsilon](const auto& v) { return v(1) * (v(0) - v(3)) / std::sqrt(v(4) + epsilon) + v(2); }));
  if (n.mayOverwrite(0)) {
    ops::mapInPlace(n.builder(), "batchNorm", steps, inputs, kernel, n.byVertices() ? immediates : Tensors{});
    return n.give(x);
  }
  n.give(ops::map(n.builder(), "batchNorm", steps, inputs, n.outputType(), n.outputShape(), kernel,
                  n.byVertices() ? immediates : Tensors{}));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

// Frozen statistics: an affine map per channel.
void batchNormBack(const GradientCall& c) {
  if (c.call().attributes().integer("training_mode", 0)) c.fail("its training mode is from before opset 14, with other outputs");
  const Shape channel = perChannel(c.call().shape(0));
  GraphBuilder& g = c.graph();
  const std::string dy = c.gradient();
  const double epsilon = epsilonOf(c.call());
  const std::string variance = g.add("Add", {g.reshape(c.input(4), channel), g.number(epsilon, c.elementType())});
  const std::string deviation = g.add("Sqrt", {variance});
  if (c.wants(0)) c.give(0, g.add("Mul", {dy, g.add("Div", {g.reshape(c.input(1), channel), deviation})}));
  if (c.wants(1)) {
    // The deviation is constant per channel, so the sum is divided instead of each term.
    const std::string centred = g.add("Sub", {c.input(0), g.reshape(c.input(3), channel)});
    c.give(1, g.reshape(g.add("Div", {g.reduceTo(g.add("Mul", {dy, centred}), channel), deviation}), c.call().shape(1)));
  }
  if (c.wants(2)) c.give(2, g.reshape(g.reduceTo(dy, channel), c.call().shape(2)));
}

void trainedBatchNormBack(const GradientCall& c) {
  for (std::size_t i = 1; i < kBatchNormOutputs; ++i)
    if (!c.gradient(i).empty()) c.fail("another node reads its statistics");
  Attributes how;
  if (const std::int64_t replicas = c.call().attributes().integer("replicas_together", 1); replicas > 1) {
    how.set("replicas_together", replicas);
    how.set("batch", c.call().shape(0)[0]);
  }
  const auto gradients = c.graph().addOwnMany(
      "BatchNormGrad", {c.gradient(), c.input(0), c.output(kMean), c.output(kInverseDeviation), c.output(kFactor)}, how,
      {c.wants(0), c.wants(1), c.wants(2)});
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (!gradients[i].empty()) c.give(i, gradients[i]);
}

constexpr Operator kBatchNormOperators[] = {
    {"BatchNormApply", 1, inferSame, applyBatchNorm, lowerApplyBatchNorm, nullptr, kNorm, kOwnDomain},
    {"BatchNormGrad", 1, inferBatchNormGrad, batchNormGrad, lowerBatchNormGrad, nullptr, kPlain, kOwnDomain},
    {kBatchNormTraining, 1, inferTrainedBatchNorm, trainedBatchNorm, lowerTrainedBatchNorm, trainedBatchNormBack, kNorm,
     kOwnDomain},
    {"BatchNormalization", 1, inferBatchNorm, batchNorm, lowerBatchNorm, batchNormBack, kNorm},
};

} // namespace

std::span<const Operator> batchNormOperators() { return kBatchNormOperators; }

} // namespace simcore::model

// Gradients of softmax, normalisations and losses. All norms share one form on a view of the input: whiten over some axes,
// then scale and shift; the view decides which norm it is.
#include "simcore/model/parameters.h"
#include "simcore/model/training/gradient.h"

#include <algorithm>

namespace simcore::model {

using numerics::Shape;

namespace {

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
  // First back to the log-probabilities, which may be an output of their own.
  std::string dLog;
  if (!c.gradient(0).empty()) dLog = g.addOwn("NegativeLogLikelihoodLossGrad", lossInputs(c), lossAttributes(c));
  if (const std::string other = c.gradient(1); !other.empty()) dLog = dLog.empty() ? other : g.add("Add", {dLog, other});
  const std::string probabilities = c.call().wantsOutput(1)
                                        ? g.add("Exp", {c.output(1)})
                                        : g.add("Softmax", {c.input(0)}, attributes({{"axis", std::int64_t(1)}}));
  c.give(0, g.add("Sub", {dLog, g.add("Mul", {probabilities, g.reduce("ReduceSum", dLog, {1}, true)})}));
}

// A norm as a view [view] whitened over `axes`, with parameters that have the shape `parameters` in the input's own shape.
struct NormView {
  Shape view;
  std::vector<std::int64_t> axes;
  Shape parameters;
  float epsilon = 1e-5f;
};
void normBack(const GradientCall& c, const NormView& norm) {
  GraphBuilder& g = c.graph();
  const Shape& shape = c.call().shape(0);
  const std::string dy = c.gradient();
  const auto whitened = g.addOwnMany("NormWhiten", {g.reshape(c.input(0), norm.view)},
                                     attributes({{"axes", norm.axes}, {"epsilon", norm.epsilon}}), {true, true});
  if (c.wants(1))
    c.give(1, g.reshape(g.reduceTo(g.add("Mul", {dy, g.reshape(whitened[0], shape)}), norm.parameters), c.call().shape(1)));
  if (c.wants(2)) c.give(2, g.reshape(g.reduceTo(dy, norm.parameters), c.call().shape(2)));
  if (!c.wants(0)) return;
  const std::string scaled = g.add("Mul", {dy, g.reshape(c.input(1), norm.parameters)});
  c.give(0, g.reshape(
                g.addOwn("NormGrad", {g.reshape(scaled, norm.view), whitened[0], whitened[1]}, attributes({{"axes", norm.axes}})),
                shape));
}

float epsilonOf(const GradientCall& c) { return c.call().attributes().real("epsilon", 1e-5f); }
Shape perChannel(const Shape& x) {
  Shape s(x.size(), 1);
  if (x.size() > 1) s[1] = x[1];
  return s;
}

void groupNormBack(const GradientCall& c) {
  const Shape& x = c.call().shape(0);
  const std::int64_t groups =
      c.node().opType == "InstanceNormalization" ? x[1] : c.call().attributes().requiredInteger("num_groups");
  normBack(c, {{x[0], groups, numerics::elementCount(x) / (x[0] * groups)}, {2}, perChannel(x), epsilonOf(c)});
}

void layerNormBack(const GradientCall& c) {
  if (!c.gradient(1).empty() || !c.gradient(2).empty()) c.fail("its statistics are used");
  const Shape& x = c.call().shape(0);
  NormView norm{x, {}, Shape(x.size(), 1), epsilonOf(c)};
  for (std::size_t i = axisOf(c.call(), -1, x.size()); i < x.size(); ++i) norm.axes.push_back(std::int64_t(i));
  const Shape& scale = c.call().shape(1);
  std::copy(scale.begin(), scale.end(), norm.parameters.end() - std::ptrdiff_t(scale.size()));
  normBack(c, norm);
}

void batchNormBack(const GradientCall& c) {
  const Shape& x = c.call().shape(0);
  const Shape channel = perChannel(x);
  if (c.call().attributes().integer("training_mode", 0)) {
    NormView norm{x, {}, channel, epsilonOf(c)};
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i != 1) norm.axes.push_back(std::int64_t(i));
    return normBack(c, norm);
  }
  // Frozen statistics: an affine map per channel.
  GraphBuilder& g = c.graph();
  const std::string dy = c.gradient();
  const std::string variance = g.add("Add", {g.reshape(c.input(4), channel), g.number(double(epsilonOf(c)), c.elementType())});
  const std::string deviation = g.add("Sqrt", {variance});
  if (c.wants(0)) c.give(0, g.add("Mul", {dy, g.add("Div", {g.reshape(c.input(1), channel), deviation})}));
  if (c.wants(1)) {
    const std::string whitened = g.add("Div", {g.add("Sub", {c.input(0), g.reshape(c.input(3), channel)}), deviation});
    c.give(1, g.reshape(g.reduceTo(g.add("Mul", {dy, whitened}), channel), c.call().shape(1)));
  }
  if (c.wants(2)) c.give(2, g.reshape(g.reduceTo(dy, channel), c.call().shape(2)));
}

constexpr GradientEntry kNormalisationGradients[] = {
    {"Softmax", softmaxBack},
    {"LogSoftmax", softmaxBack},
    {"NegativeLogLikelihoodLoss", logLikelihoodBack},
    {"SoftmaxCrossEntropyLoss", crossEntropyBack},
    {"GroupNormalization", groupNormBack},
    {"InstanceNormalization", groupNormBack},
    {"LayerNormalization", layerNormBack},
    {"BatchNormalization", batchNormBack},
};

} // namespace

std::span<const GradientEntry> normalisationGradients() { return kNormalisationGradients; }

} // namespace simcore::model

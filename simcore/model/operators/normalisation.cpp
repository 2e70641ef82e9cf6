// Normalisations. Gradients of all norms share one form on a view of the input: whiten over some axes, then scale and shift.
#include "simcore/numerics/normalisation.h"
#include "simcore/model/operators/family.h"
#include "simcore/model/training/batch_statistics.h"
#include "simcore/ops/network/normalisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simcore::model {

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

std::vector<std::size_t> axesOf(const Call& call) {
  return numerics::normaliseAxes(call.attributes().integers("axes"), call.shape(0).size(), false);
}

Types inferWhiten(const Call& call) {
  return {call.type(0), {call.elementType(0), numerics::reducedShape(call.shape(0), axesOf(call), true)}};
}
Tensors whiten(const Call& call) {
  const auto w = numerics::whiten(call.value(0), axesOf(call), epsilonOf(call));
  return {w.out, w.inverseDeviation};
}
Tensors normGrad(const Call& call) {
  return {numerics::whitenGradient(call.value(0), {call.value(1), call.value(2)}, axesOf(call))};
}

Tensors instanceNorm(const Call& call) {
  const HostTensor& x = call.value(0);
  if (x.rank() < 3) refuseNode("InstanceNormalization needs a rank of 3 or more");
  return {numerics::groupNorm(x, call.value(1), call.value(2), x.dim(1), epsilonOf(call))};
}
Types inferGroupNorm(const Call& call) {
  const std::int64_t groups = call.attributes().requiredInteger("num_groups");
  if (!numerics::divideIntoGroups(call.shape(0).at(1), groups))
    refuseNode(fmt::format("the {} channels do not divide into {} groups", call.shape(0).at(1), groups));
  return inferSame(call);
}
Tensors groupNorm(const Call& call) {
  const std::int64_t groups = call.attributes().requiredInteger("num_groups");
  const auto ofChannels = [&](const HostTensor& t) { // before opset 21 scale and bias have one value per group
    if (!call.node().domain.empty() || call.opset() >= 21 || groups < 1 || t.count() != groups) return t;
    const std::int64_t each = call.value(0).dim(1) / groups;
    return numerics::expand(t.reshaped({groups, 1}), {groups, each}).reshaped({groups * each});
  };
  return {numerics::groupNorm(call.value(0), ofChannels(call.value(1)), ofChannels(call.value(2)), groups, epsilonOf(call))};
}

// Sums and inverse deviations of the groups, [N, groups].
Types inferTrainedGroupNorm(const Call& call) {
  const TensorType statistic{call.elementType(0), {call.shape(0)[0], call.attributes().requiredInteger("num_groups")}};
  return {inferGroupNorm(call)[0], statistic, statistic};
}
Shape inGroups(const Call& call, const Shape& x) {
  const std::int64_t groups = call.attributes().requiredInteger("num_groups");
  return {x[0], groups, numerics::elementCount(x) / (x[0] * groups)};
}
Tensors trainedGroupNorm(const Call& call) {
  const HostTensor& x = call.value(0);
  const HostTensor seen = x.reshaped(inGroups(call, x.shape()));
  const Shape statistics{seen.dim(0), seen.dim(1)};
  return {numerics::groupNorm(x, call.value(1), call.value(2), seen.dim(1), epsilonOf(call)),
          numerics::reduce(numerics::ReduceKind::Sum, seen, {2}, false),
          numerics::whiten(seen, {2}, epsilonOf(call)).inverseDeviation.cast(x.type()).reshaped(statistics)};
}
Types inferGroupNormGrad(const Call& call) { return {call.type(0), call.type(2), call.type(2)}; }
// Inputs: d, x, scale, sum and inverse deviation.
Tensors groupNormGrad(const Call& call) {
  const HostTensor &d = call.value(0), &x = call.value(1);
  const Shape view = inGroups(call, x.shape()), ofGroups{view[0], view[1], 1}, channels = perChannel(x.shape());
  std::vector<std::size_t> axes = dimensions(1, x.rank());
  axes[0] = 0;
  const HostTensor inverse = call.value(4).cast(x.type()).reshaped(ofGroups),
                   mean = scaled(call.value(3).cast(x.type()).reshaped(ofGroups), 1 / double(view[2]));
  const HostTensor whitened =
      numerics::binary(BinaryKind::Mul, numerics::binary(BinaryKind::Sub, x.reshaped(view), mean), inverse);
  const HostTensor product = numerics::binary(BinaryKind::Mul, d, whitened.reshaped(x.shape())),
                   scaledGradient = numerics::binary(BinaryKind::Mul, d, call.value(2).cast(d.type()).reshaped(channels));
  const auto sum = [&](const HostTensor& t) { return numerics::reduce(numerics::ReduceKind::Sum, t, axes, false); };
  return {numerics::whitenGradient(scaledGradient.reshaped(view), {whitened, inverse}, {2}).reshaped(x.shape()), sum(product),
          sum(d)};
}

Types inferLayerNorm(const Call& call) {
  const std::size_t axis = axisOf(call, -1, call.shape(0).size());
  for (const std::size_t parameter : {1, 2}) requireBroadcast(call, parameter, call.shape(0));
  Shape kept = call.shape(0);
  std::fill(kept.begin() + std::ptrdiff_t(axis), kept.end(), 1);
  return {call.type(0), {ElementType::Float, kept}, {ElementType::Float, kept}};
}
Tensors layerNorm(const Call& call) {
  const auto result = numerics::layerNorm(call.value(0), call.value(1), call.optional(2), axisOf(call, -1, call.shape(0).size()),
                                          epsilonOf(call));
  return {result.output, result.mean, result.inverseDeviation};
}

Types inferLocalResponse(const Call& call) {
  if (call.attributes().requiredInteger("size") < 1) refuseNode("attribute 'size' of LRN must be at least 1");
  return inferSame(call);
}
ops::LocalResponse localResponse(const Call& call) {
  return {call.attributes().requiredInteger("size"), real(call, "alpha", 1e-4f), real(call, "beta", 0.75f),
          real(call, "bias", 1)};
}
Tensors localResponseNorm(const Call& call) {
  const ops::LocalResponse p = localResponse(call);
  return {numerics::localResponseNorm(call.value(0), p.size, p.alpha, p.beta, p.bias)};
}
Tensors lpNorm(const Call& call) {
  return {numerics::lpNorm(call.value(0), axisOf(call, -1, call.shape(0).size()), int(call.attributes().integer("p", 2)))};
}
std::vector<std::size_t> meanVarianceAxes(const Call& call) {
  std::vector<std::int64_t> axes = call.attributes().integers("axes");
  if (axes.empty()) axes = {0, 2, 3};
  return numerics::normaliseAxes(axes, call.shape(0).size(), false);
}
Tensors meanVarianceNorm(const Call& call) { return {numerics::meanVarianceNorm(call.value(0), meanVarianceAxes(call))}; }

// ---- plan ------------------------------------------------------------------------------------------------------------------

void lowerWhiten(NodeLowering& n) {
  const ops::Whitened w = ops::whiten(n.builder(), n.input(0), axesOf(n.call()), {}, epsilonOf(n.call()));
  n.give(w.out, 0);
  if (!n.call().wantsOutput(1)) return;
  const Tensor& inverse = w.inverseDeviation;
  const bool same = numerics::deviceType(inverse.elementType()) == numerics::deviceType(n.outputType(1));
  n.give(same ? inverse : ops::cast(n.builder(), inverse, n.outputType(1)), 1);
}

void lowerNormGrad(NodeLowering& n) {
  const Tensor d = n.input(0), xhat = n.input(1), inverse = n.input(2);
  n.give(ops::whitenGradient(n.builder(), d, xhat, inverse, axesOf(n.call())));
}

void lowerLayerNorm(NodeLowering& n) {
  const Tensor x = n.input(0);
  const std::vector<std::size_t> axes = dimensions(axisOf(n.call(), -1, x.rank()), x.rank());
  std::vector<Tensor> parameters;
  for (std::size_t i = 1; i < n.call().inputCount(); ++i)
    if (n.has(i)) parameters.push_back(n.input(i));
  const ops::Whitened w = ops::whiten(n.builder(), x, axes, parameters, epsilonOf(n.call()));
  n.give(w.out);
  if (n.call().wantsOutput(1)) {
    const double count = double(x.numElements()) / double(w.sum.numElements());
    const ElementType type = w.sum.elementType();
    n.give(ops::map(n.builder(), "mean", {{BinaryOp::Multiply, type}}, {w.sum}, type, w.sum.shape(),
                    partKernel(n, [count](const Tensors& in) { return scaled(in[0], 1 / count); })),
           1);
  }
  if (n.call().wantsOutput(2)) n.give(w.inverseDeviation, 2);
}

void lowerInstanceNorm(NodeLowering& n) {
  const Tensor x = n.input(0);
  const std::vector<std::size_t> axes = dimensions(2, x.rank());
  const Shape channels = perChannel(x.rank(), x.dim(1));
  n.give(ops::normalise(n.builder(), x, axes, {n.input(1).reshape(channels), n.input(2).reshape(channels)}, epsilonOf(n.call()),
                        {}));
}

void lowerMeanVarianceNorm(NodeLowering& n) {
  constexpr double kEpsilon = 1e-18; // the operator adds 1e-9 to the deviation, which is 1e-18 for the variance
  n.give(ops::normalise(n.builder(), n.input(0), meanVarianceAxes(n.call()), {}, kEpsilon, {}));
}

void lowerGroupNorm(NodeLowering& n) {
  n.give(ops::groupNorm(n.builder(), n.input(0), n.input(1), n.input(2), n.call().attributes().requiredInteger("num_groups"),
                        n.call().attributes().real("epsilon", 1e-5f)));
}

void lowerTrainedGroupNorm(NodeLowering& n) {
  const ops::Whitened w = ops::trainedGroupNorm(n.builder(), n.input(0), n.input(1), n.input(2),
                                                n.call().attributes().requiredInteger("num_groups"), epsilonOf(n.call()));
  n.give(w.out, 0);
  if (n.call().wantsOutput(1)) n.give(w.sum, 1);
  if (n.call().wantsOutput(2)) n.give(w.inverseDeviation, 2);
}

void lowerGroupNormGrad(NodeLowering& n) {
  const bool withInput = n.call().wantsOutput(0), withParameters = n.call().wantsOutput(1) || n.call().wantsOutput(2);
  const ops::BatchNormGradients g = ops::groupNormGradient(n.builder(), n.input(0), n.input(1), n.input(2),
                                                           {{}, n.input(3), n.input(4)}, withInput, withParameters);
  if (withInput) n.give(g.x, 0);
  if (n.call().wantsOutput(1)) n.give(g.scale, 1);
  if (n.call().wantsOutput(2)) n.give(g.bias, 2);
}

void lowerLpNorm(NodeLowering& n) {
  const Tensor x = n.input(0);
  n.give(ops::lpNorm(n.builder(), x, axisOf(n.call(), -1, x.rank()), int(n.call().attributes().integer("p", 2))));
}

void lowerLocalResponse(NodeLowering& n) { n.give(ops::localResponseNorm(n.builder(), n.input(0), localResponse(n.call()))); }

// ---- gradient --------------------------------------------------------------------------------------------------------------

std::vector<std::int64_t> wide(const std::vector<std::size_t>& axes) { return {axes.begin(), axes.end()}; }

void unitNorm(const GradientCall& c) {
  const Formula f(c);
  const std::vector<std::int64_t> axis{std::int64_t(axisOf(c.call(), -1, c.call().shape(0).size()))};
  const char* norm = c.call().attributes().integer("p", 2) == 1 ? "ReduceL1" : "ReduceL2";
  c.through([&] { return std::vector{f("Div", c.input(0), c.graph().reduce(norm, c.input(0), axis, true))}; });
}

void meanVariance(const GradientCall& c) {
  const Formula f(c);
  const std::vector<std::int64_t> axes = wide(meanVarianceAxes(c.call()));
  c.through([&] {
    const std::string centred = f("Sub", c.input(0), c.graph().reduce("ReduceMean", c.input(0), axes, true));
    const std::string variance = c.graph().reduce("ReduceMean", f("Mul", centred, centred), axes, true);
    return std::vector{f("Div", centred, f("Add", f("Sqrt", variance), 1e-9))};
  });
}

// x / (bias + alpha / size * sum of squares of the neighbouring channels)^beta
void localResponse(const GradientCall& c) {
  const Formula f(c);
  const std::int64_t size = c.call().attributes().requiredInteger("size"), channels = c.call().shape(0)[1];
  const double scale = f.attribute("alpha", 1e-4f) / double(size);
  c.through([&] {
    std::vector<std::int64_t> pads(2 * c.call().shape(0).size(), 0);
    pads[1] = (size - 1) / 2;
    pads[1 + c.call().shape(0).size()] = size - 1 - pads[1];
    const std::string squares = c.graph().add("Pad", {f("Mul", c.input(0), c.input(0)), c.graph().integers(pads)});
    std::string sum;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::string part =
          c.graph().add("Slice", {squares, c.graph().integers({i}), c.graph().integers({i + channels}), c.graph().integers({1})});
      sum = sum.empty() ? part : f("Add", sum, part);
    }
    const std::string base = f("Add", f("Mul", sum, scale), f.attribute("bias", 1.0f));
    return std::vector{f("Mul", c.input(0), f("Pow", base, -f.attribute("beta", 0.75f)))};
  });
}

// A norm as a view [view] whitened over `axes`; `parameters` is the shape of its parameters for the input's own shape.
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
  const Attributes whitening = attributes({{"axes", norm.axes}, {"epsilon", norm.epsilon}}),
                   gradient = attributes({{"axes", norm.axes}});
  const auto whitened = g.addOwnMany("NormWhiten", {g.reshape(c.input(0), norm.view)}, whitening, {true, true});
  if (c.wants(1))
    c.give(1, g.reshape(g.reduceTo(g.add("Mul", {dy, g.reshape(whitened[0], shape)}), norm.parameters), c.call().shape(1)));
  if (c.wants(2)) c.give(2, g.reshape(g.reduceTo(dy, norm.parameters), c.call().shape(2)));
  if (!c.wants(0)) return;
  const std::string scaled = g.add("Mul", {dy, g.reshape(c.input(1), norm.parameters)});
  c.give(0, g.reshape(g.addOwn("NormGrad", {g.reshape(scaled, norm.view), whitened[0], whitened[1]}, gradient), shape));
}

float gradientEpsilon(const GradientCall& c) { return c.call().attributes().real("epsilon", 1e-5f); }

void groupNormBack(const GradientCall& c) {
  const Shape& x = c.call().shape(0);
  const std::int64_t groups =
      c.node().opType == "InstanceNormalization" ? x[1] : c.call().attributes().requiredInteger("num_groups");
  normBack(c, {{x[0], groups, numerics::elementCount(x) / (x[0] * groups)}, {2}, perChannel(x), gradientEpsilon(c)});
}

void trainedGroupNormBack(const GradientCall& c) {
  for (const std::size_t statistic : {1, 2})
    if (!c.gradient(statistic).empty()) c.fail("another node reads its statistics");
  const auto gradients = c.graph().addOwnMany("GroupNormGrad", {c.gradient(), c.input(0), c.input(1), c.output(1), c.output(2)},
                                              attributes({{"num_groups", c.call().attributes().requiredInteger("num_groups")}}),
                                              {c.wants(0), c.wants(1), c.wants(2)});
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (!gradients[i].empty()) c.give(i, gradients[i]);
}

void layerNormBack(const GradientCall& c) {
  if (!c.gradient(1).empty() || !c.gradient(2).empty()) c.fail("another node reads its statistics");
  const Shape& x = c.call().shape(0);
  NormView norm{x, wide(dimensions(axisOf(c.call(), -1, x.size()), x.size())), Shape(x.size(), 1), gradientEpsilon(c)};
  const Shape& scale = c.call().shape(1);
  std::copy(scale.begin(), scale.end(), norm.parameters.end() - std::ptrdiff_t(scale.size()));
  normBack(c, norm);
}

constexpr Operator kNormalisationOperators[] = {
    {"GroupNormGrad", 1, inferGroupNormGrad, groupNormGrad, lowerGroupNormGrad, nullptr, kPlain, kOwnDomain},
    {kGroupNormTraining, 1, inferTrainedGroupNorm, trainedGroupNorm, lowerTrainedGroupNorm, trainedGroupNormBack, kNorm,
     kOwnDomain},
    {"GroupNormalization", 18, inferGroupNorm, groupNorm, lowerGroupNorm, groupNormBack, kNorm},
    {"GroupNormalization", 18, inferGroupNorm, groupNorm, lowerGroupNorm, groupNormBack, kNorm, "ai.graphcore"},
    {"InstanceNormalization", 1, inferSame, instanceNorm, lowerInstanceNorm, groupNormBack, kNorm},
    {"LRN", 1, inferLocalResponse, localResponseNorm, lowerLocalResponse, localResponse},
    {"LayerNormalization", 17, inferLayerNorm, layerNorm, lowerLayerNorm, layerNormBack, kNorm},
    {"LpNormalization", 6, inferSame, lpNorm, lowerLpNorm, unitNorm},
    {"MeanVarianceNormalization", 9, inferSame, meanVarianceNorm, lowerMeanVarianceNorm, meanVariance},
    {"NormGrad", 1, inferSame, normGrad, lowerNormGrad, nullptr, kPlain, kOwnDomain},
    {"NormWhiten", 1, inferWhiten, whiten, lowerWhiten, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> normalisationOperators() { return kNormalisationOperators; }

} // namespace simcore::model

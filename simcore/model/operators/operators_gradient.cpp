// Gradient operators that ONNX does not have: type rules and host evaluation.
#include "simcore/model/evaluate.h"
#include "simcore/model/graph_builder.h"
#include "simcore/model/operators/reversed_node.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/matmul.h"
#include "simcore/numerics/pooling.h"

#include <cmath>
#include <numeric>

namespace simcore::model {

using numerics::BinaryKind;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::ReduceKind;
using numerics::Shape;
using numerics::UnaryKind;
using reports::Error;
using reports::ErrorCode;

namespace {

// The shape to go back to is an attribute.
Types inferShape(const Call& call) { return {{call.elementType(0), call.attributes().integers("shape")}}; }
Shape shapeOf(const Call& call) { return call.attributes().integers("shape"); }

// Runs `kernel(T)` in double or, for every other floating type, in float.
template<class Kernel> HostTensor computed(ElementType type, Kernel kernel) {
  return type == ElementType::Double ? kernel(double{}) : kernel(float{}).cast(type);
}
template<class T> HostTensor as(const HostTensor& x) { return x.cast(numerics::ElementTypeOf<T>::kType); }

// Chosen once, not for every element.
double (*slopeOf(const std::string& kind))(double) {
  if (kind == "Relu") return [](double v) { return v > 0 ? 1.0 : 0.0; };
  if (kind == "Sigmoid") return [](double v) { return v * (1 - v); };
  if (kind == "Tanh") return [](double v) { return 1 - v * v; };
  if (kind == "Gelu")
    return [](double v) { return 0.5 * (1 + std::erf(v * M_SQRT1_2)) + v * std::exp(-0.5 * v * v) / std::sqrt(2 * M_PI); };
  if (kind == "GeluTanh")
    return [](double v) {
      const double c = std::sqrt(2 / M_PI), t = std::tanh(c * (v + 0.044715 * v * v * v));
      return 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * c * (1 + 3 * 0.044715 * v * v);
    };
  throw Error(ErrorCode::InvalidInput, "no activation is called '" + kind + "'");
}
Tensors nonLinearityGrad(const Call& call) {
  double (*const slope)(double) = slopeOf(call.attributes().text("kind", ""));
  return {computed(call.elementType(0), [&](auto sample) {
    using T = decltype(sample);
    HostTensor out = as<T>(call.value(0));
    const HostTensor at = as<T>(call.value(1));
    const auto v = at.template values<T>();
    auto d = out.template mutableValues<T>();
    for (std::size_t i = 0; i < d.size(); ++i) d[i] *= T(slope(double(v[i])));
    return out;
  })};
}

numerics::Window windowOf(const Attributes& a) {
  return numerics::makeWindow(a.integers("kernel_shape"), a.integers("strides"), a.integers("dilations"), a.integers("pads"));
}

Tensors convDataGrad(const Call& call) {
  const numerics::Window w = windowOf(call.attributes());
  const Shape x = shapeOf(call);
  std::vector<std::int64_t> more; // what the stride left over at the end
  for (std::size_t d = 0; d < w.dimensions(); ++d)
    more.push_back(x[2 + d] - ((call.shape(0)[2 + d] - 1) * w.strides[d] + w.span(d) - w.padsBefore[d] - w.padsAfter[d]));
  return {numerics::transposedConvolution(call.value(0), call.value(1), nullptr, w, call.attributes().integer("group", 1), more)};
}

// One product for every tap of the kernel: [groups, M, N positions] x [groups, N positions, C].
Tensors convWeightsGrad(const Call& call) {
  const numerics::Window w = windowOf(call.attributes());
  const Shape weights = shapeOf(call);
  const std::int64_t groups = call.attributes().integer("group", 1);
  const HostTensor& dy = call.value(1);
  const std::int64_t batch = dy.dim(0), positions = numerics::elementCount(dy.shape(), 2, dy.rank());
  const std::int64_t inner = call.shape(0)[1] / groups, outer = dy.dim(1) / groups;
  std::vector<std::int64_t> before{0, 0}, after{0, 0};
  before.insert(before.end(), w.padsBefore.begin(), w.padsBefore.end());
  after.insert(after.end(), w.padsAfter.begin(), w.padsAfter.end());
  const HostTensor x = numerics::pad(call.value(0), before, after, numerics::PadMode::Constant, nullptr);
  const HostTensor left = numerics::transpose(dy.reshaped({batch, groups, outer, positions}), {1, 2, 0, 3})
                              .reshaped({groups, outer, batch * positions});
  std::vector<HostTensor> taps;
  std::vector<std::int64_t> tap(w.dimensions(), 0);
  const std::int64_t count = numerics::elementCount(w.kernel);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::vector<numerics::SliceRange> ranges;
    for (std::size_t d = w.dimensions(); d-- > 0; rest /= w.kernel[d]) {
      const std::int64_t start = rest % w.kernel[d] * w.dilations[d];
      ranges.push_back({2 + d, start, start + (dy.dim(2 + d) - 1) * w.strides[d] + 1, w.strides[d]});
    }
    const HostTensor seen = numerics::slice(x, ranges).reshaped({batch, groups, inner, positions});
    const HostTensor right = numerics::transpose(seen, {1, 0, 3, 2}).reshaped({groups, batch * positions, inner});
    taps.push_back(numerics::matmul(left, right).reshaped({groups * outer, inner, 1}));
  }
  return {numerics::concat(taps, 2).reshaped(weights)};
}

Types inferMaxPoolGrad(const Call& call) { return {call.type(0)}; }
Tensors maxPoolGrad(const Call& call) {
  HostTensor indices;
  numerics::maxPool(call.value(0), windowOf(call.attributes()), call.attributes().integer("ceil_mode", 0) != 0, &indices);
  const auto to = indices.values<std::int64_t>();
  return {computed(call.elementType(0), [&](auto sample) {
    using T = decltype(sample);
    HostTensor out(numerics::ElementTypeOf<T>::kType, call.shape(0));
    const HostTensor dy = as<T>(call.value(2));
    auto dx = out.template mutableValues<T>();
    const auto d = dy.template values<T>();
    for (std::size_t i = 0; i < d.size(); ++i) dx[std::size_t(to[i])] += d[i];
    return out;
  })};
}

// The input positions of one output position, in one dimension.
struct Reach {
  std::vector<std::int64_t> inside;
  std::int64_t padded = 0; // with pads, without what a ceiling adds beyond them
};
Reach reachOf(const numerics::Window& w, std::size_t d, std::int64_t out, std::int64_t in) {
  Reach r;
  for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
    const std::int64_t at = out * w.strides[d] - w.padsBefore[d] + k * w.dilations[d];
    if (at >= 0 && at < in) r.inside.push_back(at);
    if (at < in + w.padsAfter[d]) ++r.padded;
  }
  return r;
}
Tensors averagePoolGrad(const Call& call) {
  const numerics::Window w = windowOf(call.attributes());
  const bool countPads = call.attributes().integer("count_include_pad", 0) != 0;
  const Shape x = shapeOf(call), &y = call.shape(0);
  const std::int64_t planes = x[0] * x[1], outs = numerics::elementCount(y, 2, y.size()),
                     ins = numerics::elementCount(x, 2, x.size());
  const Shape inSizes(x.begin() + 2, x.end()), strides = numerics::rowMajorStrides(inSizes);
  return {computed(call.elementType(0), [&](auto sample) {
    using T = decltype(sample);
    HostTensor out(numerics::ElementTypeOf<T>::kType, x);
    const HostTensor dy = as<T>(call.value(0));
    auto dx = out.template mutableValues<T>();
    const auto g = dy.template values<T>();
    for (std::int64_t o = 0; o < outs; ++o) {
      std::vector<std::int64_t> positions{0};
      std::int64_t rest = o, padded = 1;
      for (std::size_t d = w.dimensions(); d-- > 0; rest /= y[2 + d]) {
        const Reach reach = reachOf(w, d, rest % y[2 + d], inSizes[d]);
        padded *= reach.padded;
        std::vector<std::int64_t> more;
        for (const std::int64_t at : reach.inside)
          for (const std::int64_t p : positions) more.push_back(p + at * strides[d]);
        positions = std::move(more);
      }
      const T share = T(1) / T(std::max<std::int64_t>(1, countPads ? padded : std::int64_t(positions.size())));
      for (std::int64_t plane = 0; plane < planes; ++plane)
        for (const std::int64_t p : positions) dx[std::size_t(plane * ins + p)] += share * g[std::size_t(plane * outs + o)];
    }
    return out;
  })};
}

std::vector<std::size_t> axesOf(const Call& call) {
  return numerics::normaliseAxes(call.attributes().integers("axes"), call.shape(0).size(), false);
}
HostTensor mean(const HostTensor& x, const std::vector<std::size_t>& axes) {
  return numerics::reduce(ReduceKind::Mean, x, axes, true);
}
HostTensor mul(const HostTensor& a, const HostTensor& b) { return numerics::binary(BinaryKind::Mul, a, b); }
HostTensor sub(const HostTensor& a, const HostTensor& b) { return numerics::binary(BinaryKind::Sub, a, b); }

Types inferWhiten(const Call& call) {
  return {call.type(0), {call.elementType(0), numerics::reducedShape(call.shape(0), axesOf(call), true)}};
}
Tensors whiten(const Call& call) {
  const auto axes = axesOf(call);
  const HostTensor centred = sub(call.value(0), mean(call.value(0), axes));
  const HostTensor epsilon = HostTensor::full(call.elementType(0), {}, double(call.attributes().real("epsilon", 1e-5f)));
  const HostTensor variance = numerics::binary(BinaryKind::Add, mean(mul(centred, centred), axes), epsilon);
  const HostTensor inverse = numerics::unary(UnaryKind::Reciprocal, numerics::unary(UnaryKind::Sqrt, variance));
  return {mul(centred, inverse), inverse};
}
// inverse (d - mean(d) - xhat mean(d xhat))
Tensors normGrad(const Call& call) {
  const auto axes = axesOf(call);
  const HostTensor &d = call.value(0), &xhat = call.value(1), &inverse = call.value(2);
  return {mul(inverse, sub(sub(d, mean(d, axes)), mul(xhat, mean(mul(d, xhat), axes))))};
}

// -weight / divisor at the target of each row, as the loss counts it.
Tensors logLikelihoodGrad(const Call& call) {
  const Shape shape = shapeOf(call);
  const Attributes& a = call.attributes();
  const std::string reduction = a.text("reduction", "mean");
  const bool ignores = a.has("ignore_index");
  const std::int64_t ignored = a.integer("ignore_index", 0), classes = shape[1],
                     inner = numerics::elementCount(shape, 2, shape.size());
  const HostTensor& targets = call.value(1);
  const auto weightOf = [&](std::int64_t target) {
    return ignores && target == ignored ? 0.0 : call.has(2) ? call.value(2).at(target) : 1.0;
  };
  double divisor = 1;
  if (reduction == "mean") {
    divisor = 0;
    for (std::int64_t i = 0; i < targets.count(); ++i) divisor += weightOf(targets.integerAt(i));
  }
  return {computed(call.elementType(0), [&](auto sample) {
    using T = decltype(sample);
    HostTensor out(numerics::ElementTypeOf<T>::kType, shape);
    auto dx = out.template mutableValues<T>();
    for (std::int64_t i = 0; i < targets.count(); ++i) {
      const std::int64_t target = targets.integerAt(i);
      const double weight = weightOf(target);
      if (weight == 0) continue;
      if (target < 0 || target >= classes)
        throw Error(ErrorCode::InvalidInput,
                    "target " + std::to_string(target) + " is outside the " + std::to_string(classes) + " classes");
      const std::int64_t at = (i / inner * classes + target) * inner + i % inner;
      dx[std::size_t(at)] = T(-call.value(0).at(reduction == "none" ? i : 0) * weight / divisor);
    }
    return out;
  })};
}

// The forward operator is run on the positions of its input (counted from 1, so that 0 is padding): what arrives says where
// each gradient goes.
Tensors movementGrad(const Call& call) {
  Node forward = forwardNode(call);
  forward.outputs = {"to"};
  const Shape shape = shapeOf(call);
  HostTensor positions = HostTensor::uninitialised(ElementType::Int64, shape);
  std::iota(positions.mutableValues<std::int64_t>().begin(), positions.mutableValues<std::int64_t>().end(), 1);
  std::unordered_map<std::string, HostTensor> values{{"0", positions}};
  forward.inputs = {"0"};
  const std::size_t used = forward.opType == "Pad" ? 2 : call.inputCount(); // the value of a pad has no position
  for (std::size_t i = 1; i < std::min(used, call.inputCount()); ++i) {
    forward.inputs.push_back(call.has(i) ? std::to_string(i) : "");
    if (call.has(i)) values[std::to_string(i)] = call.value(i);
  }
  const HostTensor to = evaluateNode(forward, values).at(0);
  const auto target = to.values<std::int64_t>();
  return {computed(call.elementType(0), [&](auto sample) {
    using T = decltype(sample);
    HostTensor out(numerics::ElementTypeOf<T>::kType, shape);
    const HostTensor dy = as<T>(call.value(0));
    auto dx = out.template mutableValues<T>();
    const auto g = dy.template values<T>();
    for (std::size_t i = 0; i < g.size(); ++i)
      if (target[i] > 0) dx[std::size_t(target[i] - 1)] += g[i];
    return out;
  })};
}

Tensors resizeGrad(const Call& call) {
  const Node forward = forwardNode(call);
  std::vector<std::optional<Call::Operand>> operands;
  for (std::size_t i = 0; i < call.inputCount(); ++i)
    operands.push_back(call.has(i) ? std::optional(Call::Operand{call.type(i), &call.value(i)}) : std::nullopt);
  return {numerics::resizeGradient(call.value(0), shapeOf(call), resizeParameters(Call(forward, std::move(operands), {}, {})))};
}

constexpr Operator kGradientOperators[] = {
    {"NonLinearityGrad", inferSame, nonLinearityGrad, kOwnDomain},
    {"ConvDataGrad", inferShape, convDataGrad, kOwnDomain},
    {"ConvWeightsGrad", inferShape, convWeightsGrad, kOwnDomain},
    {"MaxPoolGrad", inferMaxPoolGrad, maxPoolGrad, kOwnDomain},
    {"AveragePoolGrad", inferShape, averagePoolGrad, kOwnDomain},
    {"NormWhiten", inferWhiten, whiten, kOwnDomain},
    {"NormGrad", inferSame, normGrad, kOwnDomain},
    {"NegativeLogLikelihoodLossGrad", inferShape, logLikelihoodGrad, kOwnDomain},
    {"MovementGrad", inferShape, movementGrad, kOwnDomain},
    {"ResizeGrad", inferShape, resizeGrad, kOwnDomain},
};

} // namespace

std::span<const Operator> gradientOperators() { return kGradientOperators; }

} // namespace simcore::model

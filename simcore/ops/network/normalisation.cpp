#include "simcore/ops/network/normalisation.h"

#include "simcore/ops/collective/collectives.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/reduce/reduce.h"

#include <algorithm>
#include <cmath>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using numerics::HostTensor;

Tensor whitenGradient(const OpBuilder& b, const Tensor& d, const Tensor& out, const Tensor& inverse,
                      const std::vector<std::size_t>& axes) {
  const ElementType type = d.elementType(), sums = type == ElementType::Half ? ElementType::Float : type;
  const Tensor product = binary(b, BinaryOp::Multiply, d, out);
  const auto both = reduceMany(b, {{d, axes, {}, sums}, {product, axes, {}, sums}});
  const Shape kept = numerics::reducedShape(d.shape(), axes, true);
  const Tensor sum = both[0].reshape(kept), correlation = both[1].reshape(kept);
  const double count = double(d.numElements()) / double(sum.numElements());
  return map(b, "normGrad", mapSteps(type, {BinaryOp::Multiply, BinaryOp::Subtract, BinaryOp::Subtract, BinaryOp::Multiply}),
             {d, out, correlation, sum, inverse}, type, d.shape(),
             partKernel(b, eachElement([count](const auto& x) { return x(4) * (x(0) - x(3) / count - x(1) * x(2) / count); })));
}

namespace {

std::vector<std::size_t> allButTheChannels(const Tensor& x) {
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (d != 1) axes.push_back(d);
  return axes;
}

// The parameter [C], viewed so that it broadcasts to x.
Tensor alongChannels(const Tensor& parameter, const Tensor& x) {
  Shape shape(x.rank(), 1);
  if (x.rank() > 1) shape[1] = x.dim(1);
  return parameter.reshape(shape);
}

// On the host, statistics of halves are stored in full precision if numbers are computed vertex by vertex, like in whiten().
ElementType statisticsType(const OpBuilder& b, ElementType type) {
  if (b.byCells()) return ElementType::Double;
  return type == ElementType::Half ? ElementType::Float : type;
}

// Maps an unmapped parameter like its statistics.
void layLike(const OpBuilder& b, const Tensor& parameter, const Tensor& statistic) {
  const auto id = parameter.wholeVariable();
  if (id.valid() && !std::as_const(b.graph()).variable(id).mapped() && parameter.numElements() == statistic.numElements())
    b.graph().setDistribution(parameter, b.layoutOf(statistic).flattened());
}

} // namespace

BatchStatistics batchStatistics(const OpBuilder& builder, const Tensor& operand, const Tensor& scale, const Tensor& bias,
                                double epsilon, int64_t replicasTogether) {
  const OpBuilder b = builder.within("statistics", "batchNormStatistics");
  const Tensor x = b.local(operand);
  const ElementType type = statisticsType(b, x.elementType());
  const std::vector<std::size_t> axes = allButTheChannels(x);
  const auto sums = reduceMany(b, {{x, axes, {ReduceOp::Add}, type}, {x, axes, {ReduceOp::SquareAdd}, type}});
  const Tensor mean = sums[0].flatten(), power = sums[1].flatten();
  sumOverNeighbours(b, graph::concat({mean, power}), replicasTogether);
  const double count = double(replicasTogether) * double(x.numElements()) / double(mean.numElements());
  for (const Tensor* parameter : {&scale, &bias}) layLike(b, *parameter, mean);
  BatchStatistics s;
  s.mean = mean;
  mapInPlace(b, "mean", mapSteps(type, {BinaryOp::Multiply}), {mean},
             partKernel(b, eachElement([count](const auto& v) { return v(0) / count; })));
  const auto inverse = [count, epsilon](const auto& v) {
    return 1 / std::sqrt(std::max(0.0, v(0) / count - v(1) * v(1)) + epsilon);
  };
  s.inverseDeviation = map(
      b, "invStdDev", mapSteps(type, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Subtract, BinaryOp::VarianceToInvStdDev}),
      {power, mean}, type, mean.shape(), partKernel(b, eachElement(inverse)));
  s.factor = map(b, "factor", mapSteps(type, {BinaryOp::Multiply}), {s.inverseDeviation, scale}, type, mean.shape(),
                 partKernel(b, eachElement([](const auto& v) { return v(0) * v(1); })));
  s.shift = map(b, "shift", mapSteps(type, {BinaryOp::Multiply, BinaryOp::Subtract}), {mean, s.factor, bias}, type, mean.shape(),
                partKernel(b, eachElement([](const auto& v) { return v(2) - v(0) * v(1); })));
  return s;
}

Tensor scaleChannels(const OpBuilder& b, const Tensor& x, const Tensor& factor, const Tensor& shift, bool inPlace) {
  const std::vector<Tensor> inputs{x, alongChannels(factor, x), alongChannels(shift, x)};
  const auto steps = mapSteps(x.elementType(), {BinaryOp::Multiply, BinaryOp::Add});
  const HostKernel kernel = partKernel(b, eachElement([](const auto& v) { return v(0) * v(1) + v(2); }));
  if (!inPlace) return map(b, "batchNorm", steps, inputs, x.elementType(), x.shape(), kernel);
  mapInPlace(b, "batchNorm", steps, inputs, kernel);
  return x;
}

BatchNormGradients batchNormGradient(const OpBuilder& builder, const Tensor& d, const Tensor& x, const BatchStatistics& s,
                                     ElementType parameters, std::optional<Overwritten> overwritten, int64_t replicasTogether) {
  const OpBuilder b = builder.within("batchNormGrad", "batchNormGrad");
  const ElementType type = x.elementType(), wide = statisticsType(b, type);
  const std::vector<std::size_t> axes = allButTheChannels(x);
  const Tensor product =
      map(b, "product", mapSteps(type, {BinaryOp::Subtract, BinaryOp::Multiply}), {x, alongChannels(s.mean, x), d}, type,
          x.shape(), partKernel(b, eachElement([](const auto& v) { return (v(0) - v(1)) * v(2); })));
  const auto sums = reduceMany(b, {{d, axes, {}, wide}, {product, axes, {}, wide}}, {}, s.mean);
  const Tensor sum = sums[0].flatten(), correlation = sums[1].flatten();
  sumOverNeighbours(b, graph::concat({sum, correlation}), replicasTogether);
  const double replicas = double(replicasTogether), count = replicas * double(x.numElements()) / double(sum.numElements());
  const Shape channels = sum.shape();
  const auto parameterGradient = [&](const char* name, const std::vector<MapStep>& steps, const std::vector<Tensor>& inputs,
                                     auto value) {
    return map(b, name, steps, inputs, parameters, channels,
               partKernel(b, [value, parameters](const std::vector<HostTensor>& in) {
                 return eachElement(value)(in).cast(parameters);
               }));
  };
  BatchNormGradients g;
  g.scale = parameterGradient("scaleGrad", mapSteps(wide, {BinaryOp::Multiply, BinaryOp::Multiply}),
                              {correlation, s.inverseDeviation}, [replicas](const auto& v) { return v(0) * v(1) / replicas; });
  g.bias = parameterGradient("biasGrad", mapSteps(wide, {BinaryOp::Multiply}), {sum},
                             [replicas](const auto& v) { return v(0) / replicas; });
  if (!overwritten) return g;
  // The gradient of x is factor * d + slope * x + offset: `slope` subtracts the correlation with x, `offset` the mean of d.
  const Tensor slope =
      map(b, "slope", mapSteps(wide, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Multiply}),
          {correlation, s.inverseDeviation, s.factor}, wide, channels,
          partKernel(b, eachElement([count](const auto& v) { return -v(2) * v(1) * v(1) * v(0) / count; })));
  const Tensor offset =
      map(b, "offset", mapSteps(wide, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}),
          {sum, s.factor, slope, s.mean}, wide, channels,
          partKernel(b, eachElement([count](const auto& v) { return -v(1) * v(0) / count - v(2) * v(3); })));
  const auto steps = mapSteps(type, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add, BinaryOp::Add});
  const auto along = [&](const Tensor& parameter) { return alongChannels(parameter, x); };
  const HostKernel kernel = partKernel(b, eachElement([](const auto& v) { return v(1) * v(0) + v(3) * v(2) + v(4); }));
  if (overwritten == Overwritten::Input) {
    mapInPlace(b, "inputGrad", steps, {x, along(slope), d, along(s.factor), along(offset)}, kernel);
    g.x = x;
    return g;
  }
  const std::vector<Tensor> inputs{d, along(s.factor), x, along(slope), along(offset)};
  if (overwritten == Overwritten::Gradient) {
    mapInPlace(b, "inputGrad", steps, inputs, kernel);
    g.x = d;
  } else {
    g.x = map(b, "inputGrad", steps, inputs, type, x.shape(), kernel);
  }
  return g;
}

namespace {
// [N, groups, channels of a group, positions]
Tensor inGroups(const Tensor& x, int64_t groups) {
  return x.reshape({x.dim(0), groups, x.dim(1) / groups, x.numElements() / (x.dim(0) * x.dim(1))});
}
} // namespace

Whitened trainedGroupNorm(const OpBuilder& builder, const Tensor& operand, const Tensor& scale, const Tensor& bias,
                          int64_t groups, double epsilon) {
  const OpBuilder b = builder.within("norm", "norm");
  const Tensor x = b.local(operand);
  const Shape channels{1, groups, x.dim(1) / groups, 1}, statistics{x.dim(0), groups};
  Whitened w = whiten(b, inGroups(x, groups), {2, 3}, {scale.reshape(channels), bias.reshape(channels)}, epsilon);
  return {w.out.reshape(x.shape()), w.sum.reshape(statistics), w.inverseDeviation.reshape(statistics)};
}

BatchNormGradients groupNormGradient(const OpBuilder& builder, const Tensor& d, const Tensor& x, const Tensor& scale,
                                     const Whitened& statistics, bool withInput, bool withParameters) {
  const OpBuilder b = builder.within("groupNormGrad", "groupNormGrad");
  const int64_t batch = x.dim(0), channels = x.dim(1), groups = statistics.sum.numElements() / batch;
  const ElementType type = x.elementType();
  const Tensor grouped = inGroups(x, groups), gradient = inGroups(d, groups);
  const Shape ofGroups{batch, groups, 1, 1}, byChannel{batch, channels, x.numElements() / (batch * channels)};
  const Tensor inverse = statistics.inverseDeviation.reshape(ofGroups);
  const double count = double(x.numElements()) / double(batch * groups);
  const Tensor whitened = map(b, "whiten", mapSteps(type, {BinaryOp::Subtract, BinaryOp::Multiply}),
                              {grouped, statistics.sum.reshape(ofGroups), inverse}, type, grouped.shape(),
                              partKernel(b, eachElement([count](const auto& v) { return (v(0) - v(1) / count) * v(2); })));
  BatchNormGradients g;
  if (withParameters) {
    const Tensor product = binary(b, BinaryOp::Multiply, gradient, whitened);
    const auto sums =
        reduceMany(b, {{product.reshape(byChannel), {0, 2}}, {d.reshape(byChannel), {0, 2}}}, {}, {}, OutputPlace::Spread);
    g.scale = sums[0];
    g.bias = sums[1];
  }
  if (!withInput) return g;
  const Tensor scaled = binary(b, BinaryOp::Multiply, gradient, scale.reshape({1, groups, channels / groups, 1}));
  g.x = whitenGradient(b, scaled, whitened, inverse, {2, 3}).reshape(x.shape());
  return g;
}

Tensor localResponseNorm(const OpBuilder& b, const Tensor& x, const LocalResponse& p) {
  const int64_t channels = x.dim(1), inner = numerics::elementCount(x.shape(), 2, x.rank());
  const auto windowSum = [=](const std::vector<HostTensor>& in, int64_t at) {
    const int64_t c = at / inner % channels, first = std::max<int64_t>(0, c - (p.size - 1) / 2),
                  last = std::min(channels - 1, c + p.size / 2);
    double sum = 0;
    for (int64_t other = first; other <= last; ++other) {
      const double v = in[0].at(at + (other - c) * inner);
      sum += v * v;
    }
    return sum;
  };
  const Tensor sums = generate(b, "channelWindowSum", {x}, x.elementType(), x.shape(), 2 * std::clamp<int64_t>(p.size, 1, 32), {},
                               eachPosition(windowSum));
  return map(b, "lrn", mapSteps(x.elementType(), {BinaryOp::Multiply, BinaryOp::Add, BinaryOp::Power, BinaryOp::Multiply}),
             {x, sums}, x.elementType(), x.shape(),
             partKernel(b, eachElement([p](const auto& v) {
                          return v(0) / std::pow(p.bias + p.alpha / double(p.size) * v(1), p.beta);
                        })));
}

Tensor lpNorm(const OpBuilder& b, const Tensor& x, std::size_t axis, int p) {
  const Tensor terms = p == 2 ? x : unary(b, UnaryOp::Absolute, x);
  // Squares of halves may be too small or too large for a half; their root is not.
  Tensor norm = reduce(b, terms, {axis}, p == 2 ? ReduceOp::SquareAdd : ReduceOp::Add, true, {}, ElementType::Float);
  if (p == 2) norm = unary(b, UnaryOp::Sqrt, norm);
  if (norm.elementType() != x.elementType()) norm = cast(b, norm, x.elementType());
  return binary(b, BinaryOp::Divide, x, norm);
}

} // namespace simcore::ops

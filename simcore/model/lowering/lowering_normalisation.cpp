// Norms and losses, from statistics, maps and picks of rows.
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/parameters.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;

namespace {

double epsilonOf(NodeLowering& n) { return double(n.call().attributes().real("epsilon", 1e-5f)); }

// Parameters of a channel for all its elements.
Shape perChannel(std::size_t rank, std::int64_t channels) {
  Shape shape(rank, 1);
  if (rank > 1) shape[1] = channels;
  return shape;
}

// Statistics of the batch, and what they make of those that run along.
void lowerTrainedBatchNorm(NodeLowering& n) {
  const Tensor x = n.input(0);
  const double epsilon = epsilonOf(n), momentum = double(n.call().attributes().real("momentum", 0.9f));
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (i != 1) axes.push_back(i);
  const Shape channels = perChannel(x.rank(), n.call().shape(1)[0]);
  const ops::Whitened w = ops::whiten(n.parts(), x, axes, {n.input(1).reshape(channels), n.input(2).reshape(channels)}, epsilon);
  n.give(w.out);
  const double count = double(x.numElements()) / double(w.sum.numElements());
  const ElementType type = w.sum.elementType();
  const std::vector<MapStep> blend{{BinaryOp::Multiply, type}, {BinaryOp::Multiply, type}, {BinaryOp::Add, type}};
  const auto blended = [&](std::size_t i, const Tensor& statistic, std::vector<MapStep> steps, auto valueOf) {
    if (!n.call().wantsOutput(i)) return;
    steps.insert(steps.end(), blend.begin(), blend.end());
    const Tensor old = n.input(i + 2), now = statistic.reshape(old.shape());
    n.give(ops::map(n.parts(), "running", steps, {old, now}, n.outputType(i), old.shape(),
                    partKernel(n,
                               [momentum, valueOf](const std::vector<HostTensor>& in) {
                                 std::vector<double> out;
                                 for (std::int64_t k = 0; k < in[0].count(); ++k)
                                   out.push_back(momentum * in[0].at(k) + (1 - momentum) * valueOf(in[1].at(k)));
                                 return HostTensor::of(in[0].shape(), out).cast(in[0].type());
                               })),
           i);
  };
  blended(1, w.sum, {}, [count](double sum) { return sum / count; });
  blended(2, w.inverseDeviation, {{UnaryOp::Square, type}, {UnaryOp::Inverse, type}, {BinaryOp::Subtract, type}},
          [epsilon](double inverse) { return std::max(0.0, 1 / (inverse * inverse) - epsilon); });
}

// Scale and shift per channel; the statistics are folded into them where they are constants.
void lowerBatchNorm(NodeLowering& n) {
  if (n.call().outputCount() > 3) return lowerGeneric(n);
  if (n.call().attributes().integer("training_mode", 0)) return lowerTrainedBatchNorm(n);
  for (std::size_t i = 1; i < 3; ++i) // not in training: as they were
    if (n.call().wantsOutput(i)) n.giveView(n.input(i + 2), i);
  const Tensor x = n.input(0);
  const double epsilon = epsilonOf(n);
  const Shape channels = perChannel(x.rank(), n.call().shape(1)[0]);
  std::vector<Tensor> inputs{x};
  std::vector<HostTensor> immediates;
  const bool folds = n.call().isKnown(3) && n.call().isKnown(4);
  for (std::size_t i = 1; i < 5; ++i)
    if (i < 3 || !folds)
      inputs.push_back(n.input(i).reshape(channels));
    else
      immediates.push_back(n.call().value(i).reshaped(channels));
  std::vector<MapStep> steps{{BinaryOp::Multiply, x.elementType()}, {BinaryOp::Add, x.elementType()}};
  if (immediates.empty())
    steps.insert(steps.begin(), {{BinaryOp::Subtract, x.elementType()}, {BinaryOp::VarianceToInvStdDev, x.elementType()}});
  const auto kernel = partKernel(n, [epsilon](const std::vector<HostTensor>& in) {
    std::vector<double> y;
    for (std::int64_t i = 0; i < in[0].count(); ++i)
      y.push_back(in[1].at(i) * (in[0].at(i) - in[3].at(i)) / std::sqrt(in[4].at(i) + epsilon) + in[2].at(i));
    return HostTensor::of(in[0].shape(), y).cast(in[0].type());
  });
  if (n.mayOverwrite(0)) {
    ops::mapInPlace(n.parts(), "batchNorm", steps, inputs, kernel, n.byVertices() ? immediates : std::vector<HostTensor>{});
    return n.give(x);
  }
  n.give(ops::map(n.parts(), "batchNorm", steps, inputs, n.outputType(), n.outputShape(), kernel,
                  n.byVertices() ? immediates : std::vector<HostTensor>{}));
}

void lowerLayerNorm(NodeLowering& n) {
  const Tensor x = n.input(0);
  std::vector<std::size_t> axes;
  for (std::size_t i = axisOf(n.call(), -1, x.rank()); i < x.rank(); ++i) axes.push_back(i);
  std::vector<Tensor> parameters;
  for (std::size_t i = 1; i < n.call().inputCount(); ++i)
    if (n.has(i)) parameters.push_back(n.input(i));
  const ops::Whitened w = ops::whiten(n.parts(), x, axes, parameters, epsilonOf(n));
  n.give(w.out);
  if (n.call().wantsOutput(1)) {
    const double count = double(x.numElements()) / double(w.sum.numElements());
    const ElementType type = w.sum.elementType();
    n.give(ops::map(n.parts(), "mean", {{BinaryOp::Multiply, type}}, {w.sum}, type, w.sum.shape(),
                    partKernel(n, [count](const std::vector<HostTensor>& in) { return scaled(in[0], 1 / count); })),
           1);
  }
  if (n.call().wantsOutput(2)) n.give(w.inverseDeviation, 2);
}

void lowerInstanceNorm(NodeLowering& n) {
  const Tensor x = n.input(0);
  std::vector<std::size_t> axes;
  for (std::size_t i = 2; i < x.rank(); ++i) axes.push_back(i);
  const Shape channels = perChannel(x.rank(), x.dim(1));
  n.give(ops::normalise(n.parts(), x, axes, {n.input(1).reshape(channels), n.input(2).reshape(channels)}, epsilonOf(n), {}));
}

void lowerMeanVarianceNorm(NodeLowering& n) {
  std::vector<std::int64_t> axes = n.call().attributes().integers("axes");
  if (axes.empty()) axes = {0, 2, 3};
  const Tensor x = n.input(0);
  constexpr double kEpsilon = 1e-18; // the operator adds 1e-9 to the deviation; to the variance that is its square
  n.give(ops::normalise(n.parts(), x, numerics::normaliseAxes(axes, x.rank(), false), {}, kEpsilon, {}));
}

void lowerGroupNorm(NodeLowering& n) {
  n.give(ops::groupNorm(n.parts(), n.input(0), n.input(1), n.input(2), n.call().attributes().requiredInteger("num_groups"),
                        n.call().attributes().real("epsilon", 1e-5f)));
}

void lowerLpNorm(NodeLowering& n) {
  const Tensor x = n.input(0);
  const std::size_t axis = axisOf(n.call(), -1, x.rank());
  const bool squares = n.call().attributes().integer("p", 2) == 2;
  const Tensor terms = squares ? x : ops::unary(n.parts(), UnaryOp::Absolute, x);
  // Squares of halves may be too small or too large for a half; their root is not.
  Tensor norm =
      ops::reduce(n.parts(), terms, {axis}, squares ? ReduceOp::SquareAdd : ReduceOp::Add, true, {}, ElementType::Float);
  if (squares) norm = ops::unary(n.parts(), UnaryOp::Sqrt, norm);
  if (norm.elementType() != x.elementType()) norm = ops::cast(n.parts(), norm, x.elementType());
  n.give(ops::binary(n.parts(), BinaryOp::Divide, x, norm));
}

// Targets at `positions` of rows [.., classes, inner]: -weight where the class is the row's target, else 0.
class TargetWeights {
public:
  explicit TargetWeights(const NodeLowering& n)
      : m_shape(n.call().shape(0)), m_ignores(n.call().attributes().has("ignore_index")),
        m_ignored(n.call().attributes().integer("ignore_index", 0)), m_inner(numerics::elementCount(m_shape, 2, m_shape.size())) {
  }

  std::int64_t row(std::int64_t position) const { return position / (m_shape[1] * m_inner) * m_inner + position % m_inner; }
  double at(std::int64_t target, const HostTensor* weights) const {
    if (m_ignores && target == m_ignored) return 0;
    return weights ? weights->at(target) : 1;
  }
  bool isTarget(std::int64_t position, std::int64_t target) const { return position / m_inner % m_shape[1] == target; }

private:
  Shape m_shape;
  bool m_ignores;
  std::int64_t m_ignored, m_inner;
};

// What each tile finds of its rows' targets, summed over the classes: the loss of each row, or of all of them.
void giveLoss(NodeLowering& n, const Tensor& logs) {
  constexpr std::int64_t kCyclesPerElement = 4;
  const TargetWeights t(n);
  const std::string reduction = n.call().attributes().text("reduction", "mean");
  std::vector<Tensor> reads{logs, n.input(1)};
  const bool weighted = n.has(2);
  if (weighted) reads.push_back(n.input(2));
  const Tensor picked = ops::generate(
      n.parts(), "selectScalarFromRows", reads, logs.elementType(), logs.shape(), kCyclesPerElement, {},
      [t](const std::vector<HostTensor>& in, const std::vector<std::int64_t>& positions) {
        std::vector<double> out;
        for (const std::int64_t at : positions) {
          const std::int64_t target = in[1].integerAt(t.row(at));
          out.push_back(t.isTarget(at, target) ? -t.at(target, in.size() > 2 ? &in[2] : nullptr) * in[0].at(at) : 0);
        }
        return HostTensor::vector(out).cast(in[0].type());
      });
  if (reduction == "none") return n.give(ops::reduce(n.parts(), picked, {1}, ReduceOp::Add, false));
  std::vector<std::size_t> all(picked.rank());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  Tensor sum = ops::reduce(n.parts(), picked, all, ReduceOp::Add, false, {}, ElementType::Float);
  if (reduction == "mean") {
    reads[0] = sum;
    std::vector<Tensor> counted{reads[1]};
    if (weighted) counted.push_back(reads[2]);
    const Tensor weights =
        ops::generate(n.parts(), "targetWeights", counted, ElementType::Float, n.call().shape(1), kCyclesPerElement, {},
                      [t](const std::vector<HostTensor>& in, const std::vector<std::int64_t>& positions) {
                        std::vector<double> out;
                        out.reserve(positions.size());
                        for (const std::int64_t at : positions)
                          out.push_back(t.at(in[0].integerAt(at), in.size() > 1 ? &in[1] : nullptr));
                        return HostTensor::vector(out).cast(ElementType::Float);
                      });
    std::vector<std::size_t> rows(weights.rank());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    const Tensor divisor = ops::reduce(n.parts(), weights, rows, ReduceOp::Add, false);
    sum = ops::binary(n.parts(), BinaryOp::Divide, sum, divisor);
  }
  n.give(sum.elementType() == n.outputType() ? sum : ops::cast(n.parts(), sum, n.outputType()));
}
void lowerLogLikelihood(NodeLowering& n) { giveLoss(n, n.input(0)); }
void lowerCrossEntropy(NodeLowering& n) {
  const Tensor logs = ops::softmax(n.parts(), n.input(0), 1, true);
  giveLoss(n, logs);
  if (n.call().wantsOutput(1)) n.give(logs, 1);
}

// A square, a sum over a window of channels, a power and a product. Tiles get the channels their windows reach.
void lowerLocalResponse(NodeLowering& n) {
  const Tensor x = n.input(0);
  const Attributes& a = n.call().attributes();
  const std::int64_t size = a.requiredInteger("size"), channels = x.dim(1),
                     inner = numerics::elementCount(x.shape(), 2, x.rank());
  const double alpha = double(a.real("alpha", 1e-4f)), beta = double(a.real("beta", 0.75f)), bias = double(a.real("bias", 1));
  const Tensor sums =
      ops::generate(n.parts(), "channelWindowSum", {x}, x.elementType(), x.shape(), std::clamp<std::int64_t>(2 * size, 2, 64), {},
                    [=](const std::vector<HostTensor>& in, const std::vector<std::int64_t>& positions) {
                      std::vector<double> out;
                      for (const std::int64_t at : positions) {
                        const std::int64_t c = at / inner % channels, first = std::max<std::int64_t>(0, c - (size - 1) / 2),
                                           last = std::min(channels - 1, c + size / 2);
                        double sum = 0;
                        for (std::int64_t other = first; other <= last; ++other) {
                          const double v = in[0].at(at + (other - c) * inner);
                          sum += v * v;
                        }
                        out.push_back(sum);
                      }
                      return HostTensor::vector(out).cast(in[0].type());
                    });
  const std::vector<MapStep> steps{{BinaryOp::Multiply, x.elementType()},
                                   {BinaryOp::Add, x.elementType()},
                                   {BinaryOp::Power, x.elementType()},
                                   {BinaryOp::Multiply, x.elementType()}};
  n.give(ops::map(n.parts(), "lrn", steps, {x, sums}, n.outputType(), n.outputShape(),
                  partKernel(n, [=](const std::vector<HostTensor>& in) {
                    std::vector<double> out;
                    for (std::int64_t i = 0; i < in[0].count(); ++i)
                      out.push_back(in[0].at(i) / std::pow(bias + alpha / double(size) * in[1].at(i), beta));
                    return HostTensor::of(in[0].shape(), out).cast(in[0].type());
                  })));
}

constexpr LoweringEntry kNormalisationLowerings[] = {
    {"BatchNormalization", lowerBatchNorm},
    {"InstanceNormalization", lowerInstanceNorm},
    {"LayerNormalization", lowerLayerNorm},
    {"MeanVarianceNormalization", lowerMeanVarianceNorm},
    {"GroupNormalization", lowerGroupNorm},
    {"LpNormalization", lowerLpNorm},
    {"LRN", lowerLocalResponse},
    {"NegativeLogLikelihoodLoss", lowerLogLikelihood},
    {"SoftmaxCrossEntropyLoss", lowerCrossEntropy},
};

} // namespace

std::span<const LoweringEntry> normalisationLowerings() { return kNormalisationLowerings; }

} // namespace simcore::model

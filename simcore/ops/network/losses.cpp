#include "simcore/ops/network/losses.h"

#include "reports/core/error.h"
#include "simcore/ops/cells/cellwise.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/move/movement.h"
#include "simcore/ops/reduce/reduce.h"
#include "simcore/ops/sort/sort.h"

#include <cmath>
#include <numeric>

namespace simcore::ops {

using codelets::LossKind;
using numerics::HostTensor;

Tensor encodeOneHot(const OpBuilder& builder, const Tensor& labels, int64_t classes, ElementType type) {
  constexpr int64_t kCyclesPerElement = 3; // a compare and a store, the cost of ONNX's OneHot
  const PositionKernel ones = [classes](const std::vector<HostTensor>& in, const std::vector<int64_t>& at) {
    std::vector<float> values;
    for (const int64_t i : at) values.push_back(in[0].integerAt(i / classes) == i % classes ? 1.0f : 0.0f);
    return HostTensor::vector(values);
  };
  const Shape shape{labels.numElements(), classes};
  HostKernel all;
  if (builder.withNumbers())
    all = oneResult([ones, shape](const std::vector<HostTensor>& in) {
      std::vector<int64_t> positions(static_cast<std::size_t>(numerics::elementCount(shape)));
      std::iota(positions.begin(), positions.end(), int64_t(0));
      return ones(in, positions).reshaped(shape);
    });
  return generate(builder, "encodeOneHot", {labels.flatten()}, type, shape, kCyclesPerElement, std::move(all), ones);
}

namespace {
// Loss of every class, and the delta: one vertex computes both.
std::vector<HostTensor> transformed(LossKind kind, const std::vector<HostTensor>& in) {
  HostTensor loss = in[0].cast(ElementType::Float), delta = loss;
  const HostTensor expected = in[1].cast(ElementType::Float);
  const auto wanted = expected.values<float>();
  const auto l = loss.mutableValues<float>(), d = delta.mutableValues<float>();
  for (std::size_t i = 0; i < l.size(); ++i) {
    const float output = l[i];
    d[i] = output - wanted[i];
    l[i] = kind == LossKind::SumSquared ? 0.5f * d[i] * d[i] : wanted[i] > 0 ? -wanted[i] * std::log(output) : 0.0f;
  }
  return {loss, delta};
}
} // namespace

Loss calcLoss(const OpBuilder& builder, LossKind kind, const Tensor& given, const Tensor& labels) {
  const OpBuilder b = builder.within(kind == LossKind::SumSquared ? "sumSquaredLoss" : "crossEntropyLoss", "loss");
  if (given.rank() != 2 || labels.numElements() != given.dim(0) || !numerics::isInteger(labels.elementType()))
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "outputs " + given.getDebugStr() + " and labels " + labels.getDebugStr() + " " +
                             numerics::elementTypeName(labels.elementType()) + " do not fit together",
                         b.graph().fullName(b.context()),
                         "give outputs [batch, classes] and one integer per sample of the batch");
  const Tensor outputs = b.local(given);
  const ElementType type = outputs.elementType();
  const Distribution layout = b.layoutOf(outputs);
  const PerTile held = layout.elementsByTile();
  const Tensor expected = encodeOneHot(b, labels, outputs.dim(1), type);
  Loss result;
  const Tensor each = b.output(type, outputs.shape(), "classLoss", layout);
  result.deltas = b.output(type, outputs.shape(), "deltas", layout);
  PerTile bytes;
  bytes.add(held, elementBytes(type));
  const Tensor here = b.buffer(type, "expected", bytes, reports::MemoryCategory::Message);
  b.exchange("gatherExpected", {expected}, {here}, b.trafficInOrder(b.layoutOf(expected), layout, elementBytes(type)));
  Superstep step(b, "LossTransform");
  for (const auto& r : held.runs()) {
    const int64_t workers = std::min<int64_t>(b.tile().workers, r.value);
    step.add(codelets::lossTransformSpec(kind, type),
             codelets::lossTransform(b.tile(), kind, type, reports::ceilDiv(r.value, workers)), r.tiles, workers);
  }
  step.execute({outputs, here}, {each, result.deltas});
  // Vertex by vertex, each result is computed from the elements on its tile.
  const auto part = [kind](std::size_t i) {
    return oneResult([kind, i](const std::vector<HostTensor>& in) { return transformed(kind, in)[i]; });
  };
  if (b.byCells()) {
    b.compute({outputs, expected}, {each}, cellwiseMap(part(0), layout, outputs.shape(), type));
    b.compute({outputs, expected}, {result.deltas}, cellwiseMap(part(1), layout, outputs.shape(), type));
  } else {
    b.compute({outputs, expected}, {each, result.deltas},
              [kind](const std::vector<HostTensor>& in) { return transformed(kind, in); });
  }
  result.loss = reduce(b, each, {1}, codelets::ReduceOp::Add, false);
  const Tensor best = argReduce(b, outputs, 1, true, false, false);
  const Tensor right =
      binary(b, codelets::BinaryOp::Equal, cast(b, best, ElementType::Int32), cast(b, labels.flatten(), ElementType::Int32));
  result.correct = reduce(b, cast(b, right, ElementType::Int32), {0}, codelets::ReduceOp::Add, false);
  return result;
}

Tensor encodeOneHot(const OpBuilder& builder, const Tensor& labels, std::size_t axis, int64_t classes, ElementType type,
                    const Tensor& values) {
  constexpr int64_t kCyclesPerElement = 3;
  Shape shape = labels.shape();
  const int64_t inner = numerics::elementCount(shape, axis, shape.size());
  shape.insert(shape.begin() + std::ptrdiff_t(axis), classes);
  std::vector<Tensor> inputs{labels};
  if (values.valid()) inputs.push_back(values);
  const auto one = [classes, inner](const std::vector<HostTensor>& in, int64_t at) {
    const int64_t label = in[0].integerAt(at / (classes * inner) * inner + at % inner);
    const bool is = (label < 0 ? label + classes : label) == at / inner % classes;
    return in.size() > 1 ? in[1].at(is) : double(is);
  };
  return generate(builder, "encodeOneHot", inputs, type, shape, kCyclesPerElement, {}, eachPosition(one));
}

namespace {

constexpr int64_t kCyclesPerTarget = 4; // cycles per element to compare its class with the target of its row

// Weights of targets, and their positions in rows [.., classes, inner].
struct TargetRows {
  Shape shape;
  std::optional<int64_t> ignored;
  int64_t inner = numerics::elementCount(shape, 2, shape.size());

  int64_t row(int64_t position) const { return position / (shape[1] * inner) * inner + position % inner; }
  bool isTarget(int64_t position, int64_t target) const { return position / inner % shape[1] == target; }
  double weight(int64_t target, const HostTensor* weights) const {
    if (ignored && target == *ignored) return 0;
    return weights ? weights->at(target) : 1;
  }
};

std::vector<std::size_t> allDimensions(const Tensor& t) {
  std::vector<std::size_t> all(t.rank());
  std::iota(all.begin(), all.end(), std::size_t(0));
  return all;
}

} // namespace

Tensor negativeLogLikelihood(const OpBuilder& b, const Tensor& logs, const Tensor& targets, const TargetLoss& loss) {
  const TargetRows t{logs.shape(), loss.ignored};
  std::vector<Tensor> reads{logs, targets}, counted{targets};
  if (loss.weights.valid())
    for (auto* list : {&reads, &counted}) list->push_back(loss.weights);
  // The element of a row's target, weighted and negated; 0 for other classes. Summed over the classes it is the loss of the row.
  const auto pick = [t](const std::vector<HostTensor>& in, int64_t at) {
    const int64_t target = in[1].integerAt(t.row(at));
    return t.isTarget(at, target) ? -t.weight(target, in.size() > 2 ? &in[2] : nullptr) * in[0].at(at) : 0;
  };
  const Tensor picked =
      generate(b, "selectScalarFromRows", reads, logs.elementType(), logs.shape(), kCyclesPerTarget, {}, eachPosition(pick));
  if (loss.reduction == numerics::LossReduction::None) return reduce(b, picked, {1}, codelets::ReduceOp::Add, false);
  const Tensor sum = reduce(b, picked, allDimensions(picked), codelets::ReduceOp::Add, false, {}, ElementType::Float);
  if (loss.reduction == numerics::LossReduction::Sum) return sum;
  const auto weigh = [t](const std::vector<HostTensor>& in, int64_t at) {
    return t.weight(in[0].integerAt(at), in.size() > 1 ? &in[1] : nullptr);
  };
  const Tensor weights =
      generate(b, "targetWeights", counted, ElementType::Float, targets.shape(), kCyclesPerTarget, {}, eachPosition(weigh));
  const Tensor divisor = reduce(b, weights, allDimensions(weights), codelets::ReduceOp::Add, false);
  return binary(b, codelets::BinaryOp::Divide, sum, divisor);
}

Tensor negativeLogLikelihoodGradient(const OpBuilder& b, const Tensor& gradient, const Tensor& targets, const TargetLoss& loss,
                                     ElementType type, const Shape& logs) {
  const TargetRows t{logs, loss.ignored};
  const bool each = loss.reduction == numerics::LossReduction::None, mean = loss.reduction == numerics::LossReduction::Mean;
  std::vector<Tensor> inputs{targets, gradient};
  if (loss.weights.valid()) inputs.push_back(loss.weights);
  const PositionKernel ones = [=](const std::vector<HostTensor>& in, const std::vector<int64_t>& positions) {
    const HostTensor* weights = in.size() > 2 ? &in[2] : nullptr;
    double divisor = mean ? 0 : 1;
    for (int64_t i = 0; mean && i < in[0].count(); ++i) divisor += t.weight(in[0].integerAt(i), weights);
    const auto one = [&](const std::vector<HostTensor>& from, int64_t at) {
      const int64_t row = t.row(at), target = from[0].integerAt(row);
      return t.isTarget(at, target) ? -from[1].at(each ? row : 0) * t.weight(target, weights) / divisor : 0;
    };
    return eachPosition(one)(in, positions);
  };
  return generate(b, "encodeOneHot", inputs, type, logs, kCyclesPerTarget, {}, ones);
}

} // namespace simcore::ops

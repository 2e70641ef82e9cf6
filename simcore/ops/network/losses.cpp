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
  constexpr int64_t kCyclesPerElement = 3; // a compare and a store, as ONNX's OneHot is costed
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
// Loss of every class, beside the delta: one vertex makes both.
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
                             numerics::elementTypeName(labels.elementType()) + " do not go together",
                         b.graph().fullName(b.context()), "give outputs [batch, classes] and one integer for each of the batch");
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
  b.exchange("gatherExpected", {expected}, {here}, b.trafficBlind(b.layoutOf(expected), held, elementBytes(type)));
  Superstep step(b, "LossTransform");
  for (const auto& r : held.runs()) {
    const int64_t workers = std::min<int64_t>(b.tile().workers, r.value);
    step.add(codelets::lossTransformSpec(kind, type),
             codelets::lossTransform(b.tile(), kind, type, reports::ceilDiv(r.value, workers)), r.tiles, workers);
  }
  step.execute({outputs, here}, {each, result.deltas});
  // Vertex by vertex each result is made of the elements on its tile.
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

} // namespace simcore::ops

// Weight updates on the machine: parameter and state are variables and change where they lie; gradients come to them. State
// is always float (lowering_training.cpp): squares of gradients and counts of steps do not fit half precision.
#include "simcore/model/lowering_scope.h"
#include "simcore/model/node_lowering.h"

namespace simcore::model {

using codelets::BinaryOp;
using codelets::MapStep;
using codelets::ReduceOp;
using codelets::UnaryOp;
using graph::Tensor;
using numerics::ElementType;

namespace {

// State lies like its parameter.
Tensor stateLike(NodeLowering& n, std::size_t i, const Tensor& parameter) {
  const Tensor state = n.input(i);
  graph::Graph& g = n.time().graph();
  const auto id = state.wholeVariable();
  if (id.valid() && !g.variable(id).mapped()) {
    const graph::Distribution layout = n.time().layoutOf(parameter);
    g.setDistribution(state, layout.shape() == state.shape() ? layout : layout.flattened());
  }
  return state;
}

std::vector<MapStep> steps(ElementType type, std::initializer_list<decltype(MapStep::op)> operations) {
  std::vector<MapStep> list;
  for (const auto& op : operations) list.push_back({op, type});
  return list;
}

void lowerSgd(NodeLowering& n) {
  const Tensor w = n.input(0), g = n.input(1);
  const Attributes& a = n.call().attributes();
  const ElementType type = w.elementType();
  const bool decays = a.real("weight_decay", 0) != 0;
  if (!n.has(3)) {
    if (decays) ops::mapInPlace(n.time(), "decay", {{BinaryOp::Multiply, type}}, {w});
    ops::scaledAddTo(n.time(), w, g, -1);
    return n.give(w);
  }
  const Tensor v = stateLike(n, 3, w);
  ops::scaledAddTo(n.time(), v, g, 1);
  if (decays) ops::scaledAddTo(n.time(), v, w, 1);
  ops::scaledAddTo(n.time(), w, v, -1);
  if (a.integer("nesterov", 0)) ops::scaledAddTo(n.time(), w, g, -1);
  n.give(w, 0);
  n.give(v, 1);
}

void lowerAdam(NodeLowering& n) {
  const Tensor w = n.input(0), g = n.input(1), m = stateLike(n, 3, w), v = stateLike(n, 4, w), step = n.input(5);
  const ElementType type = w.elementType();
  ops::mapInPlace(n.time(), "firstMoment", steps(type, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}), {m, g});
  ops::mapInPlace(n.time(), "secondMoment", steps(type, {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}),
                  {v, g});
  const auto ratio = steps(type, {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide, BinaryOp::Multiply});
  if (n.call().attributes().text("mode", "adam") == "lamb") {
    const Tensor update = ops::map(n.time(), "update", ratio, {m, v, w, step}, type, w.shape());
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < w.rank(); ++i) all.push_back(i);
    const Tensor weights = ops::reduce(n.time(), w, all, ReduceOp::SquareAdd, false),
                 length = ops::reduce(n.time(), update, all, ReduceOp::SquareAdd, false);
    const Tensor trust =
        ops::map(n.time(), "trustRatio", steps(type, {BinaryOp::Divide, UnaryOp::Sqrt}), {weights, length}, type, {});
    ops::mapInPlace(n.time(), "weights", steps(type, {BinaryOp::Multiply, BinaryOp::Subtract}), {w, update, trust});
  } else {
    auto last = ratio;
    last.push_back({BinaryOp::Subtract, type});
    ops::mapInPlace(n.time(), "weights", last, {w, m, v, step});
  }
  n.give(w, 0);
  n.give(m, 1);
  n.give(v, 2);
}

void lowerSquares(NodeLowering& n) {
  const Tensor w = n.input(0), g = n.input(1), v = stateLike(n, 3, w);
  const ElementType type = w.elementType();
  ops::mapInPlace(n.time(), "secondMoment", steps(type, {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Add}), {v, g});
  ops::mapInPlace(n.time(), "weights", steps(type, {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide, BinaryOp::Subtract}),
                  {w, g, v});
  n.give(w, 0);
  n.give(v, 1);
}

void lowerAccumulate(NodeLowering& n) {
  const Tensor gradient = n.input(1), sum = stateLike(n, 0, gradient);
  ops::scaledAddTo(n.time(), sum, gradient, 1);
  n.give(sum);
}
void lowerSetZero(NodeLowering& n) {
  const Tensor x = n.input(0);
  ops::zero(n.time(), x);
  n.give(x);
}
void lowerCountStep(NodeLowering& n) {
  const Tensor count = n.input(0);
  ops::mapInPlace(n.time(), "count", steps(count.elementType(), {BinaryOp::Add}), {count});
  n.give(count);
}

// A norm of each gradient where it lies, then of all of them.
void lowerClipFactor(NodeLowering& n) {
  std::vector<Tensor> sums;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) {
    const Tensor gradient = n.input(i);
    std::vector<std::size_t> all;
    for (std::size_t d = 0; d < gradient.rank(); ++d) all.push_back(d);
    sums.push_back(ops::reduce(n.time(), gradient, all, ReduceOp::SquareAdd, false));
  }
  const ElementType type = sums[0].elementType();
  std::vector<MapStep> expression(sums.size() - 1, MapStep{BinaryOp::Add, type});
  for (const MapStep& step : steps(type, {UnaryOp::Sqrt, BinaryOp::Maximum, BinaryOp::Divide})) expression.push_back(step);
  n.give(ops::map(n.time(), "clipFactor", expression, sums, n.outputType(), {}));
}

constexpr LoweringEntry kEntries[] = {
    {"SgdUpdate", lowerSgd},         {"AdamUpdate", lowerAdam}, {"RmsPropUpdate", lowerSquares}, {"AdaGradUpdate", lowerSquares},
    {"Accumulate", lowerAccumulate}, {"SetZero", lowerSetZero}, {"CountStep", lowerCountStep},   {"ClipFactor", lowerClipFactor},
};

} // namespace

std::span<const LoweringEntry> updateLowerings() { return kEntries; }

} // namespace simcore::model

// Softmax and its kin, and losses over classes.
#include "simcore/model/operators/family.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/normalisation.h"

namespace simcore::model {

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

// Softmax and its kin: before opset 13 everything from the axis on is one dimension. `shape` is what to view the input as.
struct SoftmaxParameters {
  Shape shape;
  std::size_t axis = 0;
};

SoftmaxParameters softmaxParameters(const Call& call) {
  const Shape& from = call.shape(0);
  if (call.opset() >= 13) return {from, axisOf(call, -1, from.size())};
  const std::int64_t axis = call.attributes().integer("axis", 1);
  const std::size_t at = axis == std::int64_t(from.size()) ? from.size() : numerics::normaliseAxis(axis, from.size());
  return {{numerics::elementCount(from, 0, at), numerics::elementCount(from, at, from.size())}, 1};
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

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

Types inferSoftmax(const Call& call) {
  softmaxParameters(call); // looks at the axis
  return inferSame(call);
}
template<HostTensor (*kernel)(const HostTensor&, std::size_t)> Tensors softmax(const Call& call) {
  const SoftmaxParameters p = softmaxParameters(call);
  return {kernel(call.value(0).reshaped(p.shape), p.axis).reshaped(call.shape(0))};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// A one-hot of the targets, scaled; popnn makes it with the loss itself. Means divide by the weights of all targets, which
// every tile adds up for itself: there are as many as rows.
void lowerLogLikelihoodGrad(NodeLowering& n) {
  constexpr std::int64_t kCyclesPerElement = 4;
  const Attributes& a = n.call().attributes();
  const Shape& shape = n.outputShape();
  const std::string reduction = a.text("reduction", "mean");
  const bool ignores = a.has("ignore_index"), each = reduction == "none", mean = reduction == "mean", weighted = n.has(2);
  const std::int64_t ignored = a.integer("ignore_index", 0), inner = numerics::elementCount(shape, 2, shape.size());
  std::vector<Tensor> inputs{n.input(1), n.input(0)};
  if (weighted) inputs.push_back(n.input(2));
  n.give(ops::generate(n.builder(), "encodeOneHot", inputs, n.outputType(), shape, kCyclesPerElement, {},
                       [=](const Tensors& in, const std::vector<std::int64_t>& positions) {
                         const auto weightOf = [&](std::int64_t target) {
                           return ignores && target == ignored ? 0.0 : weighted ? in[2].at(target) : 1.0;
                         };
                         double divisor = mean ? 0 : 1;
                         for (std::int64_t i = 0; mean && i < in[0].count(); ++i) divisor += weightOf(in[0].integerAt(i));
                         std::vector<double> out;
                         for (const std::int64_t at : positions) {
                           const std::int64_t row = at / (shape[1] * inner) * inner + at % inner, target = in[0].integerAt(row);
                           out.push_back(at / inner % shape[1] == target ? -in[1].at(each ? row : 0) * weightOf(target) / divisor
                                                                         : 0);
                         }
                         return HostTensor::vector(out).cast(in[1].type());
                       }));
}

// The place of each row's maximum, then a one there.
void lowerHardmax(NodeLowering& n) {
  const SoftmaxParameters p = softmaxParameters(n.call());
  const Tensor x = n.input(0).reshape(p.shape);
  const Tensor best = ops::argReduce(n.builder(), x, p.axis, true, false, false);
  const std::int64_t depth = p.shape[p.axis], inner = numerics::elementCount(p.shape, p.axis + 1, p.shape.size());
  const ElementType type = n.outputType();
  n.give(ops::generate(
      n.builder(), "encodeOneHot", {best}, type, p.shape, 3, {}, [=](const Tensors& in, const Positions& positions) {
        std::vector<float> out;
        for (const std::int64_t at : positions)
          out.push_back(in[0].integerAt(at / (depth * inner) * inner + at % inner) == at / inner % depth ? 1 : 0);
        return HostTensor::vector(out).cast(type);
      }));
}

void lowerSoftmax(NodeLowering& n) {
  const SoftmaxParameters p = softmaxParameters(n.call());
  const Tensor x = n.input(0);
  const Tensor view = x.shape() == p.shape ? x : x.reshape(p.shape);
  n.give(ops::softmax(n.builder(), view, p.axis, n.node().opType == "LogSoftmax"));
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

// Each tile's share of its rows' targets, summed over the classes: the loss of each row, or of all of them.
void giveLoss(NodeLowering& n, const Tensor& logs) {
  constexpr std::int64_t kCyclesPerElement = 4;
  const TargetWeights t(n);
  const std::string reduction = n.call().attributes().text("reduction", "mean");
  std::vector<Tensor> reads{logs, n.input(1)};
  const bool weighted = n.has(2);
  if (weighted) reads.push_back(n.input(2));
  const Tensor picked = ops::generate(
      n.builder(), "selectScalarFromRows", reads, logs.elementType(), logs.shape(), kCyclesPerElement, {},
      [t](const Tensors& in, const std::vector<std::int64_t>& positions) {
        std::vector<double> out;
        for (const std::int64_t at : positions) {
          const std::int64_t target = in[1].integerAt(t.row(at));
          out.push_back(t.isTarget(at, target) ? -t.at(target, in.size() > 2 ? &in[2] : nullptr) * in[0].at(at) : 0);
        }
        return HostTensor::vector(out).cast(in[0].type());
      });
  if (reduction == "none") return n.give(ops::reduce(n.builder(), picked, {1}, ReduceOp::Add, false));
  std::vector<std::size_t> all(picked.rank());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  Tensor sum = ops::reduce(n.builder(), picked, all, ReduceOp::Add, false, {}, ElementType::Float);
  if (reduction == "mean") {
    reads[0] = sum;
    std::vector<Tensor> counted{reads[1]};
    if (weighted) counted.push_back(reads[2]);
    const Tensor weights =
        ops::generate(n.builder(), "targetWeights", counted, ElementType::Float, n.call().shape(1), kCyclesPerElement, {},
                      [t](const Tensors& in, const std::vector<std::int64_t>& positions) {
                        std::vector<double> out;
                        out.reserve(positions.size());
                        for (const std::int64_t at : positions)
                          out.push_back(t.at(in[0].integerAt(at), in.size() > 1 ? &in[1] : nullptr));
                        return HostTensor::vector(out).cast(ElementType::Float);
                      });
    std::vector<std::size_t> rows(weights.rank());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    const Tensor divisor = ops::reduce(n.builder(), weights, rows, ReduceOp::Add, false);
    sum = ops::binary(n.builder(), BinaryOp::Divide, sum, divisor);
  }
  n.give(sum.elementType() == n.outputType() ? sum : ops::cast(n.builder(), sum, n.outputType()));
}
void lowerLogLikelihood(NodeLowering& n) { giveLoss(n, n.input(0)); }
void lowerCrossEntropy(NodeLowering& n) {
  const Tensor logs = ops::softmax(n.builder(), n.input(0), 1, true);
  giveLoss(n, logs);
  if (n.call().wantsOutput(1)) n.give(logs, 1);
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

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

constexpr Operator kLossesOperators[] = {
    {"Softmax", 1, inferSoftmax, softmax<numerics::softmax>, lowerSoftmax, softmaxBack},
    {"LogSoftmax", 1, inferSoftmax, softmax<numerics::logSoftmax>, lowerSoftmax, softmaxBack},
    {"Hardmax", 1, inferSoftmax, softmax<numerics::hardmax>, lowerHardmax},
    {"NegativeLogLikelihoodLoss", 12, inferLoss, negativeLogLikelihood, lowerLogLikelihood, logLikelihoodBack},
    {"SoftmaxCrossEntropyLoss", 12, inferCrossEntropy, crossEntropy, lowerCrossEntropy, crossEntropyBack},
    {"NegativeLogLikelihoodLossGrad", 1, inferShape, logLikelihoodGrad, lowerLogLikelihoodGrad, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> lossesOperators() { return kLossesOperators; }

} // namespace simcore::model

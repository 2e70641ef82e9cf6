// Weight updates: optimisers, sums of gradients, clipping, the loss scale. Formulas are in training/optimiser.h.
#include "simcore/ops/network/update.h"
#include "simcore/model/operators/family.h"
#include "simcore/model/training/optimiser.h"
#include "simcore/numerics/optimiser.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

numerics::UpdateRule ruleOf(const Call& call) {
  numerics::UpdateRule rule;
  rule.rate = call.isKnown(2) ? call.value(2).at(0) : 0; // a plan does not need the rate
  rule.decay = real(call, "weight_decay", 0);
  rule.divisor = real(call, "gradient_divisor", 1);
  rule.momentum = real(call, "momentum", 0);
  rule.nesterov = call.attributes().integer("nesterov", 0) != 0;
  rule.beta1 = real(call, "beta1", 0.9f);
  rule.beta2 = real(call, "beta2", 0.999f);
  rule.epsilon = real(call, "epsilon", 1e-8f);
  rule.trust = real(call, "trust", 0.001f);
  rule.decayBeside = call.attributes().integer("decay_beside", 0) != 0;
  rule.asTensorFlow = call.attributes().integer("tensorflow", 0) != 0;
  return rule;
}
Tensors sgd(const Call& call) { return numerics::sgdUpdate(call.value(0), call.value(1), call.optional(3), ruleOf(call)); }
bool adaptsRate(const Call& call) { return call.attributes().integer("adapts", 1) != 0; }
Tensors lars(const Call& call) {
  return numerics::larsUpdate(call.value(0), call.value(1), call.optional(3), adaptsRate(call), ruleOf(call));
}
bool isLamb(const Call& call) { return call.attributes().text("mode", "adam") == "lamb"; }
bool isAdaMax(const Call& call) { return call.attributes().text("mode", "adam") == optimiserName(OptimiserKind::AdaMax); }
Tensors adam(const Call& call) {
  const std::string mode = call.attributes().text("mode", "adam");
  if (isAdaMax(call))
    return numerics::adaMaxUpdate(call.value(0), call.value(1), call.value(3), call.value(4), call.value(5).at(0), ruleOf(call));
  return numerics::adamUpdate(call.value(0), call.value(1), call.value(3), call.value(4), call.value(5).at(0), mode != "adam",
                              isLamb(call), ruleOf(call));
}
bool hasMean(const Call& call) { return call.attributes().integer("centred", 0) != 0; }
Tensors scaledBySquares(const Call& call) {
  const bool sums = call.node().opType == "AdaGradUpdate";
  const bool isCentred = hasMean(call);
  return numerics::squaresUpdate(call.value(0), call.value(1), call.value(3), isCentred ? call.optional(4) : nullptr,
                                 call.optional(isCentred ? 5 : 4), sums, ruleOf(call));
}

// Whether the update needs norms of the whole parameter.
bool isByNorms(const Call& call) { return isLamb(call) || (call.node().opType == "LarsUpdate" && adaptsRate(call)); }

std::size_t mergedIn(const Call& call) { return std::size_t(call.attributes().integer(kMerged, 1)); }

// A merged update updates each of its parameters.
template<Tensors (*kUpdate)(const Call&)> Tensors ofEach(const Call& call) {
  const std::size_t count = mergedIn(call), inputs = call.inputCount();
  if (count == 1) return kUpdate(call);
  const std::size_t states = (inputs - 2 * count - 1) / count;
  Tensors out(count * (1 + states));
  for (std::size_t k = 0; k < count; ++k) {
    Node one = call.node();
    one.attributes.set(kMerged, std::int64_t(1));
    one.inputs = {"w", "g", "rate"};
    std::unordered_map<std::string, HostTensor> values{
        {"w", call.value(k)}, {"g", call.value(count + k)}, {"rate", call.value(2 * count)}};
    for (std::size_t s = 0; s < states; ++s) {
      one.inputs.push_back("state" + std::to_string(s));
      values[one.inputs.back()] = call.value(2 * count + 1 + s * count + k);
    }
    if ((inputs - 2 * count - 1) % count) {
      one.inputs.push_back("step");
      values["step"] = call.value(inputs - 1);
    }
    one.outputs.resize(1 + states);
    const Tensors made = evaluateNode(one, values);
    for (std::size_t s = 0; s <= states; ++s) out[s * count + k] = made.at(s);
  }
  return out;
}

// Parameters, then states; every output has the type of the input that it replaces.
Types inferUpdate(const Call& call) {
  const std::size_t count = mergedIn(call);
  Types types;
  for (std::size_t o = 0; o < call.outputCount(); ++o) types.push_back(call.type(o < count ? o : count + 1 + o));
  return types;
}

Tensors accumulate(const Call& call) {
  return {ops::eachElement([](const auto& x) { return x(0) + x(1); })(call.values())};
}
// Further inputs only define the order: the node runs after the nodes that make them.
Types inferSetZero(const Call& call) {
  Types types;
  for (std::size_t i = 0; i < mergedIn(call); ++i) types.push_back(call.type(i));
  return types;
}
Tensors setZero(const Call& call) {
  Tensors zeros;
  for (std::size_t i = 0; i < mergedIn(call); ++i) zeros.emplace_back(call.elementType(i), call.shape(i));
  return zeros;
}
Tensors countStep(const Call& call) {
  return {ops::eachElement([](const auto& x) { return x(0) + 1; })(call.values())};
}

// A running statistic of a batch norm gets the operator's blended value, which contains the variance of the batch. `unbiased`
// converts it to the variance of a sample: new = unbiased blended + (1 - unbiased) momentum old.
double nextStatistic(const Call& call, double old, double blended) {
  const double unbiased = real(call, "unbiased", 1), momentum = real(call, "momentum", 0.9f);
  return unbiased * blended + (1 - unbiased) * momentum * old;
}
Tensors statisticUpdate(const Call& call) {
  return {ops::eachElement([&](const auto& x) { return nextStatistic(call, x(0), x(1)); })(call.values())};
}

// Sum over all elements of all inputs. It is always float, because squares of scaled gradients do not fit half precision.
Types inferSquareSum(const Call&) { return {{ElementType::Float, {}}}; }
Tensors squareSum(const Call& call) {
  double sum = 0;
  for (const HostTensor& gradient : call.values())
    for (const double v : gradient.toDoubles()) sum += v * v;
  return {HostTensor::full(ElementType::Float, {}, sum)};
}
// limit / max(limit, norm), from the sums of squares.
Tensors clipFactor(const Call& call) {
  const double limit = real(call, "limit", 1);
  double sum = 0;
  for (const HostTensor& squares : call.values()) sum += squares.at(0);
  return {HostTensor::full(ElementType::Float, {}, limit / std::max(limit, std::sqrt(sum)))};
}
// 1 / (loss scale x micro-batches).
Tensors unscaleFactor(const Call& call) {
  const double microBatches = double(call.attributes().integer("micro_batches", 1));
  return {HostTensor::full(ElementType::Float, {}, 1.0 / (call.value(0).at(0) * microBatches))};
}
Tensors countLarge(const Call& call) {
  const double limit = real(call, "limit", 1);
  double count = 0;
  for (const HostTensor& gradient : call.values())
    for (const double v : gradient.toDoubles()) count += !(std::abs(v) <= limit);
  return {HostTensor::full(ElementType::Float, {}, count)};
}
// Halves or doubles the scale, depending on the counts.
Tensors lossScaleUpdate(const Call& call) {
  double large = 0;
  for (std::size_t i = 1; i < call.inputCount(); ++i) large += call.value(i).at(0);
  const double factor = large > real(call, "limit", 0) ? 0.5 : 2;
  return {HostTensor::full(call.elementType(0), {}, call.value(0).at(0) * factor)};
}
Tensors scaleGradient(const Call& call) {
  const double factor = call.value(1).at(0);
  return {ops::eachElement([factor](const auto& x) { return x(0) * factor; })(call.values())};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// State has the mapping of its parameter.
Tensor stateLike(NodeLowering& n, std::size_t i, const Tensor& parameter) {
  const Tensor state = n.input(i);
  graph::Graph& g = n.timeBuilder().graph();
  const auto id = state.wholeVariable();
  if (id.valid() && !g.variable(id).mapped()) {
    const graph::Distribution layout = n.timeBuilder().layoutOf(parameter);
    g.setDistribution(state, layout.shape() == state.shape() ? layout : layout.flattened());
  }
  return state;
}

std::size_t mergedIn(const NodeLowering& n) { return std::size_t(n.call().attributes().integer(kMerged, 1)); }

// The tensors of an update: all whole, or all as this replica's shares. A merged update has them one after the other.
class UpdateOperands {
public:
  explicit UpdateOperands(NodeLowering& n) : m_n(n), m_shards(shardsOf(n)), m_count(mergedIn(n)) {
    const Tensor whole = n.input(0);
    m_parameter = m_count > 1 ? joined(0) : whole;
    if (m_shards > 1) {
      const ops::OpBuilder& b = n.timeBuilder();
      m_parameter = ops::addShare(b, whole.elementType(), whole.shape(), "ownShare", m_shards);
      const auto& held = b.graph().variable(m_parameter.wholeVariable()).extraBytes;
      graph::PerTile elements;
      for (const auto& r : held.runs()) elements.add(r.tiles, r.value / ops::elementBytes(whole));
      b.exchange("ownShare", {whole}, {m_parameter}, graph::trafficBlind(b.layoutOf(whole), elements, ops::elementBytes(whole)));
    }
  }
  Tensor parameter() const { return held(m_parameter); }
  Tensor gradient() { return m_count > 1 ? joined(m_count) : held(m_n.input(1)); }
  Tensor rate() { return m_n.input(2 * m_count); }
  Tensor step() { return m_n.input(m_n.call().inputCount() - 1); }
  bool hasState() const { return m_n.has(2 * m_count + 1); }
  Tensor state(std::size_t which) {
    const std::size_t first = 2 * m_count + 1 + which * m_count;
    if (m_count > 1) {
      for (std::size_t k = 0; k < m_count; ++k) stateLike(m_n, first + k, m_n.input(k));
      return joined(first);
    }
    if (m_shards > 1) {
      const Tensor state = m_n.input(first);
      if (!m_n.timeBuilder().graph().variable(state.wholeVariable()).mapped()) ops::makeShare(m_n.timeBuilder(), state, m_shards);
    } else {
      stateLike(m_n, first, m_parameter);
    }
    return held(m_n.input(first));
  }
  void give(std::size_t states) {
    if (m_shards == 1 && m_count == 1 && !isByNorms(m_n.call())) m_n.computeByCells(m_parameter);
    for (std::size_t k = 0; k < m_count; ++k) m_n.give(m_count > 1 ? m_n.input(k) : m_parameter, k);
    for (std::size_t i = 0; i < states * m_count; ++i) m_n.give(m_n.input(2 * m_count + 1 + i), m_count + i);
  }

private:
  Tensor held(const Tensor& t) const { return m_shards > 1 ? ops::heldPart(t, m_shards) : t; }
  Tensor joined(std::size_t first) {
    std::vector<Tensor> parts;
    for (std::size_t k = 0; k < m_count; ++k) parts.push_back(m_n.input(first + k).flatten());
    return graph::concat(parts);
  }

  NodeLowering& m_n;
  std::int64_t m_shards;
  std::size_t m_count;
  Tensor m_parameter;
};

using ops::mapSteps;

// Arguments of updates with norms. Their parts compute the numbers; with shards the node computes them.
ops::UpdateByNorms byNorms(NodeLowering& n, UpdateOperands& of) {
  const bool byParts = n.byVertices() && shardsOf(n) == 1;
  return {byParts ? n.builder() : n.timeBuilder(), ruleOf(n.call()), shardsOf(n), byParts ? of.rate() : Tensor()};
}

void lowerSgd(NodeLowering& n) {
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient(), v = of.hasState() ? of.state(0) : Tensor();
  const bool isNesterov = n.call().attributes().integer("nesterov", 0) != 0;
  ops::updateBySgd(n.timeBuilder(), w, g, v, real(n.call(), "weight_decay", 0) != 0, isNesterov);
  of.give(v.valid() ? 1 : 0);
}

void lowerAdam(NodeLowering& n) {
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient(), m = of.state(0), v = of.state(1), step = of.step();
  if (isLamb(n.call()))
    ops::updateByLamb(byNorms(n, of), w, g, m, v, step);
  else
    ops::updateByAdam(n.timeBuilder(), w, g, m, v, step, isAdaMax(n.call()));
  of.give(2);
}

// Without norms, Lars is SGD whose velocity includes the rate.
void lowerLars(NodeLowering& n) {
  if (!adaptsRate(n.call())) return lowerSgd(n);
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient();
  const ops::UpdateByNorms how = byNorms(n, of);
  const Tensor v = of.hasState() ? of.state(0) : Tensor();
  ops::updateByLars(how, w, g, v);
  of.give(v.valid() ? 1 : 0);
}

void lowerSquares(NodeLowering& n) {
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient();
  const Tensor squares = of.state(0);
  std::size_t states = 1;
  const Tensor mean = hasMean(n.call()) ? of.state(states++) : Tensor();
  const Tensor velocity = real(n.call(), "momentum", 0) != 0 ? of.state(states++) : Tensor();
  ops::updateBySquares(n.timeBuilder(), w, g, squares, mean, velocity);
  of.give(states);
}

void lowerAccumulate(NodeLowering& n) {
  const Tensor gradient = n.input(1), sum = stateLike(n, 0, gradient);
  ops::scaledAddTo(n.timeBuilder(), sum, gradient, 1);
  n.computeByCells(sum);
  n.give(sum);
}
void lowerSetZero(NodeLowering& n) {
  if (const std::size_t count = mergedIn(n); count > 1) {
    std::vector<Tensor> parts;
    for (std::size_t k = 0; k < count; ++k) parts.push_back(n.input(k).flatten());
    ops::zero(n.timeBuilder(), graph::concat(parts));
    for (std::size_t k = 0; k < count; ++k) n.give(n.input(k), k);
    return;
  }
  const Tensor x = n.input(0);
  ops::zero(n.timeBuilder(), x);
  n.computeByCells(x);
  n.give(x);
}
void lowerCountStep(NodeLowering& n) {
  const Tensor count = n.input(0);
  ops::mapInPlace(n.builder(), "count", mapSteps(count.elementType(), {BinaryOp::Add}), {count}, n.hostKernel({0}));
  n.give(count);
}

void lowerStatisticUpdate(NodeLowering& n) {
  const Tensor statistic = n.input(0);
  const std::vector<MapStep> steps = mapSteps(statistic.elementType(), {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add});
  ops::mapInPlace(n.builder(), "running", steps, {statistic, n.input(1)}, n.hostKernel({0, 1}));
  n.give(statistic);
}

ops::HostKernel total(const NodeLowering& n) {
  return partKernel(n, [](const Tensors& in) {
    double sum = 0;
    for (const HostTensor& t : in) sum += t.at(0);
    return HostTensor::full(in[0].type(), in[0].shape(), sum);
  });
}

// Applies `prepared` to each gradient and sums the result on the tiles of the gradient, then adds all sums.
template<class F> void giveSum(NodeLowering& n, const char* name, ReduceOp op, F prepared) {
  const std::int64_t shards = shardsOf(n);
  const ops::OpBuilder& builder = shards > 1 ? n.timeBuilder() : n.builder();
  std::vector<Tensor> sums;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) {
    const Tensor gradient = shards > 1 ? ops::heldPart(n.input(i), shards) : n.input(i).flatten();
    sums.push_back(ops::reduce(builder, prepared(builder, gradient), {0}, op, false, {}, ElementType::Float));
  }
  const std::vector<MapStep> expression(sums.size(), MapStep{BinaryOp::Add, ElementType::Float});
  const Tensor sum = ops::map(builder, name, expression, sums, ElementType::Float, {}, total(n));
  if (shards > 1) ops::allReduce(n.timeBuilder(), ops::CollectiveOp::Add, {sum.reshape({1})});
  n.give(sum);
}
void lowerSquareSum(NodeLowering& n) {
  giveSum(n, "squareSum", ReduceOp::SquareAdd, [](const ops::OpBuilder&, const Tensor& gradient) { return gradient; });
}
void lowerClipFactor(NodeLowering& n) {
  std::vector<Tensor> sums;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) sums.push_back(n.input(i));
  std::vector<MapStep> expression(sums.size() - 1, MapStep{BinaryOp::Add, ElementType::Float});
  for (const MapStep& step : mapSteps(ElementType::Float, {UnaryOp::Sqrt, BinaryOp::Maximum, BinaryOp::Divide}))
    expression.push_back(step);
  const std::vector<std::size_t> all = dimensions(0, sums.size());
  n.give(ops::map(n.builder(), "clipFactor", expression, sums, ElementType::Float, {}, n.hostKernel(all)));
}
// popops' gatherStatistics with two bins, modelled as a comparison and a sum.
void lowerCountLarge(NodeLowering& n) {
  const auto isLarge =
      ops::eachElement([limit = real(n.call(), "limit", 1)](const auto& x) { return std::abs(x(0)) <= limit ? 0 : 1; });
  giveSum(n, "count", ReduceOp::Add, [&](const ops::OpBuilder& builder, const Tensor& gradient) {
    const ElementType type = gradient.elementType();
    return ops::map(builder, "large", mapSteps(type, {UnaryOp::Absolute, BinaryOp::Greater}), {gradient}, type, gradient.shape(),
                    partKernel(n, isLarge));
  });
}
void lowerUnscaleFactor(NodeLowering& n) {
  n.give(ops::map(n.builder(), "factor", mapSteps(ElementType::Float, {BinaryOp::Divide}), {n.input(0)}, ElementType::Float, {},
                  n.hostKernel({0})));
}
void lowerLossScaleUpdate(NodeLowering& n) {
  const Tensor scale = n.input(0);
  std::vector<Tensor> operands{scale};
  for (std::size_t i = 1; i < n.call().inputCount(); ++i) operands.push_back(n.input(i));
  std::vector<MapStep> expression(operands.size(), MapStep{BinaryOp::Add, ElementType::Float});
  for (const MapStep& step : mapSteps(ElementType::Float, {BinaryOp::Greater, BinaryOp::Multiply})) expression.push_back(step);
  const std::vector<std::size_t> all = dimensions(0, operands.size());
  ops::mapInPlace(n.builder(), "scale", expression, operands, n.hostKernel(all));
  n.give(scale);
}
void lowerScaleGradient(NodeLowering& n) {
  const Tensor gradient = n.input(0);
  const Tensor part = shardsOf(n) > 1 ? ops::heldPart(gradient, shardsOf(n)) : gradient;
  ops::mapInPlace(n.timeBuilder(), "scale", mapSteps(part.elementType(), {BinaryOp::Multiply}), {part, n.input(1)});
  if (shardsOf(n) == 1) n.computeByCells(gradient);
  n.give(gradient);
}

constexpr Operator kUpdateOperators[] = {
    {"Accumulate", 1, inferSame, accumulate, lowerAccumulate, nullptr, kPlain, kOwnDomain},
    {"AdaGradUpdate", 1, inferUpdate, ofEach<scaledBySquares>, lowerSquares, nullptr, kPlain, kOwnDomain},
    {"AdamUpdate", 1, inferUpdate, ofEach<adam>, lowerAdam, nullptr, kPlain, kOwnDomain},
    {"ClipFactor", 1, inferSquareSum, clipFactor, lowerClipFactor, nullptr, kPlain, kOwnDomain},
    {"CountLarge", 1, inferSquareSum, countLarge, lowerCountLarge, nullptr, kPlain, kOwnDomain},
    {"CountStep", 1, inferSame, countStep, lowerCountStep, nullptr, kPlain, kOwnDomain},
    {"LarsUpdate", 1, inferUpdate, ofEach<lars>, lowerLars, nullptr, kPlain, kOwnDomain},
    {"LossScaleUpdate", 1, inferSame, lossScaleUpdate, lowerLossScaleUpdate, nullptr, kPlain, kOwnDomain},
    {"RmsPropUpdate", 1, inferUpdate, ofEach<scaledBySquares>, lowerSquares, nullptr, kPlain, kOwnDomain},
    {"ScaleGradient", 1, inferSame, scaleGradient, lowerScaleGradient, nullptr, kPlain, kOwnDomain},
    {"SetZero", 1, inferSetZero, setZero, lowerSetZero, nullptr, kPlain, kOwnDomain},
    {"SgdUpdate", 1, inferUpdate, ofEach<sgd>, lowerSgd, nullptr, kPlain, kOwnDomain},
    {"SquareSum", 1, inferSquareSum, squareSum, lowerSquareSum, nullptr, kPlain, kOwnDomain},
    {"StatisticUpdate", 1, inferSame, statisticUpdate, lowerStatisticUpdate, nullptr, kPlain, kOwnDomain},
    {"UnscaleFactor", 1, inferSquareSum, unscaleFactor, lowerUnscaleFactor, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> updateOperators() { return kUpdateOperators; }

} // namespace simcore::model

// Weight updates: optimisers, sums of gradients, clipping, the loss scale. Formulas are in training/optimiser.h.
#include "simcore/model/operators/family.h"
#include "simcore/model/training/optimiser.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace simcore::model {

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

using Values = std::vector<double>;

// Parameters and gradients as doubles; results in the parameter's type, like the machine's float arithmetic rounded once.
struct Terms {
  Values w, g;
  double rate = 0, decay = 0;
};
Terms termsOf(const Call& call) {
  const double divisor = double(call.attributes().real("gradient_divisor", 1));
  Terms t{call.value(0).toDoubles(), call.value(1).toDoubles(), call.value(2).at(0),
          double(call.attributes().real("weight_decay", 0))};
  if (t.w.size() != t.g.size()) throw Error(ErrorCode::InvalidInput, "the gradient does not have the shape of its parameter");
  for (double& g : t.g) g /= divisor;
  return t;
}
void decayIntoGradient(Terms& t) {
  for (std::size_t i = 0; i < t.w.size(); ++i) t.g[i] += t.decay * t.w[i];
}
HostTensor like(const HostTensor& tensor, const Values& values) {
  return HostTensor::of(tensor.shape(), values).cast(tensor.type());
}

Tensors sgd(const Call& call) {
  Terms t = termsOf(call);
  decayIntoGradient(t);
  const double momentum = double(call.attributes().real("momentum", 0));
  const bool nesterov = call.attributes().integer("nesterov", 0) != 0;
  if (!call.has(3)) {
    for (std::size_t i = 0; i < t.w.size(); ++i) t.w[i] -= t.rate * t.g[i];
    return {like(call.value(0), t.w)};
  }
  Values v = call.value(3).toDoubles();
  for (std::size_t i = 0; i < t.w.size(); ++i) {
    v[i] = momentum * v[i] + t.g[i];
    t.w[i] -= t.rate * (nesterov ? t.g[i] + momentum * v[i] : v[i]);
  }
  return {like(call.value(0), t.w), like(call.value(3), v)};
}

double norm(const Values& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

Tensors adam(const Call& call) {
  Terms t = termsOf(call);
  const Attributes& a = call.attributes();
  const std::string mode = a.text("mode", "adam");
  const double b1 = double(a.real("beta1", 0.9f)), b2 = double(a.real("beta2", 0.999f)),
               epsilon = double(a.real("epsilon", 1e-8f));
  if (mode == "adam") decayIntoGradient(t);
  Values m = call.value(3).toDoubles(), v = call.value(4).toDoubles(), r(t.w.size());
  const double step = call.value(5).at(0), correct1 = 1 - std::pow(b1, step), correct2 = 1 - std::pow(b2, step);
  for (std::size_t i = 0; i < t.w.size(); ++i) {
    m[i] = b1 * m[i] + (1 - b1) * t.g[i];
    v[i] = b2 * v[i] + (1 - b2) * t.g[i] * t.g[i];
    r[i] = m[i] / correct1 / (std::sqrt(v[i] / correct2) + epsilon);
    if (mode != "adam") r[i] += t.decay * t.w[i];
  }
  double rate = t.rate;
  if (mode == "lamb") {
    const double weights = norm(t.w), length = norm(r);
    if (weights > 0 && length > 0) rate *= weights / length;
  }
  for (std::size_t i = 0; i < t.w.size(); ++i) t.w[i] -= rate * r[i];
  return {like(call.value(0), t.w), like(call.value(3), m), like(call.value(4), v)};
}

Tensors scaledBySquares(const Call& call) {
  Terms t = termsOf(call);
  decayIntoGradient(t);
  const Attributes& a = call.attributes();
  const double b2 = double(a.real("beta2", 0.999f)), epsilon = double(a.real("epsilon", 1e-8f));
  const bool sums = call.node().opType == "AdaGradUpdate";
  Values v = call.value(3).toDoubles();
  for (std::size_t i = 0; i < t.w.size(); ++i) {
    v[i] = (sums ? v[i] : b2 * v[i]) + (sums ? 1 : 1 - b2) * t.g[i] * t.g[i];
    t.w[i] -= t.rate * t.g[i] / (std::sqrt(v[i]) + epsilon);
  }
  return {like(call.value(0), t.w), like(call.value(3), v)};
}

std::size_t mergedIn(const Call& call) { return std::size_t(call.attributes().integer(kMerged, 1)); }

// A merged update is that of each of its parameters.
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

// Parameters, then states; every output has the type of the input that it renews.
Types inferUpdate(const Call& call) {
  const std::size_t count = mergedIn(call);
  Types types;
  for (std::size_t o = 0; o < call.outputCount(); ++o) types.push_back(call.type(o < count ? o : count + 1 + o));
  return types;
}

Tensors accumulate(const Call& call) {
  Values sum = call.value(0).toDoubles();
  const Values more = call.value(1).toDoubles();
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  return {like(call.value(0), sum)};
}
// The inputs behind only say after what it happens.
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
Tensors countStep(const Call& call) { return {like(call.value(0), {call.value(0).at(0) + 1})}; }

// Of all elements of all inputs; float whatever they are, because squares of scaled gradients do not fit half precision.
Types inferSquareSum(const Call&) { return {{ElementType::Float, {}}}; }
Tensors squareSum(const Call& call) {
  double sum = 0;
  for (const HostTensor& gradient : call.values())
    for (const double v : gradient.toDoubles()) sum += v * v;
  return {HostTensor::full(ElementType::Float, {}, sum)};
}
// limit / max(limit, norm), from the sums of squares.
Tensors clipFactor(const Call& call) {
  const double limit = double(call.attributes().real("limit", 1));
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
  const double limit = double(call.attributes().real("limit", 1));
  double count = 0;
  for (const HostTensor& gradient : call.values())
    for (const double v : gradient.toDoubles()) count += !(std::abs(v) <= limit);
  return {HostTensor::full(ElementType::Float, {}, count)};
}
// Half or twice the scale, as the counts say.
Tensors lossScaleUpdate(const Call& call) {
  double large = 0;
  for (std::size_t i = 1; i < call.inputCount(); ++i) large += call.value(i).at(0);
  const double factor = large > double(call.attributes().real("limit", 0)) ? 0.5 : 2;
  return {HostTensor::full(call.elementType(0), {}, call.value(0).at(0) * factor)};
}
Tensors scaleGradient(const Call& call) {
  Values g = call.value(0).toDoubles();
  const double factor = call.value(1).at(0);
  for (double& v : g) v *= factor;
  return {like(call.value(0), g)};
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

// State lies like its parameter.
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

// The tensors of an update: all of them whole, or this replica's shares of all. Those of a merged one are one after the other.
class UpdateOperands {
public:
  explicit UpdateOperands(NodeLowering& n) : m_n(n), m_shards(shardsOf(n)), m_count(mergedIn(n)) {
    const Tensor whole = n.input(0);
    m_parameter = m_count > 1 ? joined(0) : whole;
    if (m_shards > 1) {
      const ops::OpBuilder& b = n.timeBuilder();
      m_parameter = addShare(b, whole.elementType(), whole.shape(), "ownShare", m_shards);
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
      if (!m_n.timeBuilder().graph().variable(state.wholeVariable()).mapped()) makeShare(m_n.timeBuilder(), state, m_shards);
    } else {
      stateLike(m_n, first, m_parameter);
    }
    return held(m_n.input(first));
  }
  void give(std::size_t states) {
    // The norms of lamb are of the whole parameter.
    if (m_shards == 1 && m_count == 1 && m_n.call().attributes().text("mode", "") != "lamb") m_n.computeByCells(m_parameter);
    for (std::size_t k = 0; k < m_count; ++k) m_n.give(m_count > 1 ? m_n.input(k) : m_parameter, k);
    for (std::size_t i = 0; i < states * m_count; ++i) m_n.give(m_n.input(2 * m_count + 1 + i), m_count + i);
  }

private:
  Tensor held(const Tensor& t) const { return m_shards > 1 ? heldPart(t, m_shards) : t; }
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

std::vector<MapStep> steps(ElementType type, std::initializer_list<decltype(MapStep::op)> operations) {
  std::vector<MapStep> list;
  for (const auto& op : operations) list.push_back({op, type});
  return list;
}

void lowerSgd(NodeLowering& n) {
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient();
  const Attributes& a = n.call().attributes();
  const ElementType type = w.elementType();
  const bool decays = a.real("weight_decay", 0) != 0;
  if (!of.hasState()) {
    if (decays) ops::mapInPlace(n.timeBuilder(), "decay", {{BinaryOp::Multiply, type}}, {w});
    ops::scaledAddTo(n.timeBuilder(), w, g, -1);
    return of.give(0);
  }
  const Tensor v = of.state(0);
  ops::scaledAddTo(n.timeBuilder(), v, g, 1);
  if (decays) ops::scaledAddTo(n.timeBuilder(), v, w, 1);
  ops::scaledAddTo(n.timeBuilder(), w, v, -1);
  if (a.integer("nesterov", 0)) ops::scaledAddTo(n.timeBuilder(), w, g, -1);
  of.give(1);
}

// The squared norms of the parameter and its update; those of shares are added up over the replicas.
std::pair<Tensor, Tensor> squaredNorms(NodeLowering& n, const Tensor& w, const Tensor& update) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < w.rank(); ++i) all.push_back(i);
  const Tensor weights = ops::reduce(n.timeBuilder(), w, all, ReduceOp::SquareAdd, false),
               length = ops::reduce(n.timeBuilder(), update, all, ReduceOp::SquareAdd, false);
  if (shardsOf(n) > 1)
    ops::allReduce(n.timeBuilder(), ops::CollectiveOp::Add, {graph::concat(weights.reshape({1}), length.reshape({1}))});
  return {weights, length};
}

// Lamb needs two norms of the whole parameter between its maps, so its parts say their numbers one by one.
void lambByVertices(NodeLowering& n, const Tensor& w, const Tensor& g, const Tensor& m, const Tensor& v) {
  const Attributes& a = n.call().attributes();
  const double b1 = double(a.real("beta1", 0.9f)), b2 = double(a.real("beta2", 0.999f)),
               epsilon = double(a.real("epsilon", 1e-8f)), decay = double(a.real("weight_decay", 0)),
               divisor = double(a.real("gradient_divisor", 1));
  const Tensor step = n.input(5), rate = n.input(2);
  const ElementType type = w.elementType();
  // A kernel that computes each element from those of its inputs.
  const auto each = [](std::function<double(const std::vector<double>&)> f) {
    return ops::oneResult([f = std::move(f)](const Tensors& in) {
      std::vector<double> out, at(in.size());
      for (std::int64_t i = 0; i < in[0].count(); ++i) {
        for (std::size_t k = 0; k < at.size(); ++k) at[k] = in[k].at(i);
        out.push_back(f(at));
      }
      return HostTensor::of(in[0].shape(), out).cast(in[0].type());
    });
  };
  ops::mapInPlace(n.builder(), "firstMoment", steps(type, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}), {m, g},
                  each([=](const auto& x) { return b1 * x[0] + (1 - b1) * x[1] / divisor; }));
  ops::mapInPlace(n.builder(), "secondMoment",
                  steps(type, {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}), {v, g},
                  each([=](const auto& x) { return b2 * x[0] + (1 - b2) * (x[1] / divisor) * (x[1] / divisor); }));
  const Tensor update =
      ops::map(n.builder(), "update", steps(type, {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide, BinaryOp::Multiply}),
               {m, v, w, step}, type, w.shape(), each([=](const auto& x) {
                 return x[0] / (1 - std::pow(b1, x[3])) / (std::sqrt(x[1] / (1 - std::pow(b2, x[3]))) + epsilon) + decay * x[2];
               }));
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < w.rank(); ++i) all.push_back(i);
  const Tensor weights = ops::reduce(n.builder(), w, all, ReduceOp::SquareAdd, false),
               length = ops::reduce(n.builder(), update, all, ReduceOp::SquareAdd, false);
  const Tensor trust =
      ops::map(n.builder(), "trustRatio", steps(type, {BinaryOp::Divide, UnaryOp::Sqrt}), {weights, length}, type, {},
               each([](const auto& x) { return x[0] > 0 && x[1] > 0 ? std::sqrt(x[0] / x[1]) : 1.0; }));
  ops::mapInPlace(n.builder(), "weights", steps(type, {BinaryOp::Multiply, BinaryOp::Subtract}), {w, update, trust, rate},
                  each([](const auto& x) { return x[0] - x[3] * x[2] * x[1]; }));
}

void lowerAdam(NodeLowering& n) {
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient(), m = of.state(0), v = of.state(1), step = of.step();
  const ElementType type = w.elementType();
  if (n.call().attributes().text("mode", "adam") == "lamb" && n.byVertices() && shardsOf(n) == 1) {
    lambByVertices(n, w, g, m, v);
    return of.give(2);
  }
  ops::mapInPlace(n.timeBuilder(), "firstMoment", steps(type, {BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}), {m, g});
  ops::mapInPlace(n.timeBuilder(), "secondMoment",
                  steps(type, {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Multiply, BinaryOp::Add}), {v, g});
  const auto ratio = steps(type, {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide, BinaryOp::Multiply});
  if (n.call().attributes().text("mode", "adam") == "lamb") {
    const Tensor update = ops::map(n.timeBuilder(), "update", ratio, {m, v, w, step}, type, w.shape());
    const auto [weights, length] = squaredNorms(n, w, update);
    const Tensor trust =
        ops::map(n.timeBuilder(), "trustRatio", steps(type, {BinaryOp::Divide, UnaryOp::Sqrt}), {weights, length}, type, {});
    ops::mapInPlace(n.timeBuilder(), "weights", steps(type, {BinaryOp::Multiply, BinaryOp::Subtract}), {w, update, trust});
  } else {
    auto last = ratio;
    last.push_back({BinaryOp::Subtract, type});
    ops::mapInPlace(n.timeBuilder(), "weights", last, {w, m, v, step});
  }
  of.give(2);
}

void lowerSquares(NodeLowering& n) {
  UpdateOperands of(n);
  const Tensor w = of.parameter(), g = of.gradient(), v = of.state(0);
  const ElementType type = w.elementType();
  ops::mapInPlace(n.timeBuilder(), "secondMoment", steps(type, {UnaryOp::Square, BinaryOp::Multiply, BinaryOp::Add}), {v, g});
  ops::mapInPlace(n.timeBuilder(), "weights", steps(type, {UnaryOp::Sqrt, BinaryOp::Add, BinaryOp::Divide, BinaryOp::Subtract}),
                  {w, g, v});
  of.give(1);
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
  ops::mapInPlace(n.builder(), "count", steps(count.elementType(), {BinaryOp::Add}), {count}, n.hostKernel({0}));
  n.give(count);
}

ops::HostKernel total(const NodeLowering& n) {
  return partKernel(n, [](const Tensors& in) {
    double sum = 0;
    for (const HostTensor& t : in) sum += t.at(0);
    return HostTensor::full(in[0].type(), in[0].shape(), sum);
  });
}

// A square sum of each gradient where it lies, then of all of them.
void lowerSquareSum(NodeLowering& n) {
  const std::int64_t shards = shardsOf(n);
  const ops::OpBuilder& builder = shards > 1 ? n.timeBuilder() : n.builder();
  std::vector<Tensor> sums;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) {
    const Tensor gradient = shards > 1 ? heldPart(n.input(i), shards) : n.input(i).flatten();
    sums.push_back(ops::reduce(builder, gradient, {0}, ReduceOp::SquareAdd, false, {}, ElementType::Float));
  }
  const std::vector<MapStep> expression(sums.size(), MapStep{BinaryOp::Add, ElementType::Float});
  const Tensor sum = ops::map(builder, "squareSum", expression, sums, ElementType::Float, {}, total(n));
  if (shards > 1) ops::allReduce(n.timeBuilder(), ops::CollectiveOp::Add, {sum.reshape({1})});
  n.give(sum);
}
void lowerClipFactor(NodeLowering& n) {
  std::vector<Tensor> sums;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) sums.push_back(n.input(i));
  std::vector<MapStep> expression(sums.size() - 1, MapStep{BinaryOp::Add, ElementType::Float});
  for (const MapStep& step : steps(ElementType::Float, {UnaryOp::Sqrt, BinaryOp::Maximum, BinaryOp::Divide}))
    expression.push_back(step);
  std::vector<std::size_t> all(sums.size());
  std::iota(all.begin(), all.end(), 0);
  n.give(ops::map(n.builder(), "clipFactor", expression, sums, ElementType::Float, {}, n.hostKernel(all)));
}
// popops' gatherStatistics with two bins, for which a comparison and a sum stand.
void lowerCountLarge(NodeLowering& n) {
  const std::int64_t shards = shardsOf(n);
  const ops::OpBuilder& builder = shards > 1 ? n.timeBuilder() : n.builder();
  const double limit = double(n.call().attributes().real("limit", 1));
  std::vector<Tensor> counts;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i) {
    const Tensor gradient = shards > 1 ? heldPart(n.input(i), shards) : n.input(i).flatten();
    const ElementType type = gradient.elementType();
    const Tensor large = ops::map(builder, "large", steps(type, {UnaryOp::Absolute, BinaryOp::Greater}), {gradient}, type,
                                  gradient.shape(), partKernel(n, [limit](const Tensors& in) {
                                    std::vector<double> out;
                                    for (const double v : in[0].toDoubles()) out.push_back(std::abs(v) <= limit ? 0 : 1);
                                    return HostTensor::of(in[0].shape(), out).cast(in[0].type());
                                  }));
    counts.push_back(ops::reduce(builder, large, {0}, ReduceOp::Add, false, {}, ElementType::Float));
  }
  const std::vector<MapStep> expression(counts.size(), MapStep{BinaryOp::Add, ElementType::Float});
  const Tensor count = ops::map(builder, "count", expression, counts, ElementType::Float, {}, total(n));
  if (shards > 1) ops::allReduce(n.timeBuilder(), ops::CollectiveOp::Add, {count.reshape({1})});
  n.give(count);
}
void lowerUnscaleFactor(NodeLowering& n) {
  n.give(ops::map(n.builder(), "factor", steps(ElementType::Float, {BinaryOp::Divide}), {n.input(0)}, ElementType::Float, {},
                  n.hostKernel({0})));
}
void lowerLossScaleUpdate(NodeLowering& n) {
  const Tensor scale = n.input(0);
  std::vector<Tensor> operands{scale};
  for (std::size_t i = 1; i < n.call().inputCount(); ++i) operands.push_back(n.input(i));
  std::vector<MapStep> expression(operands.size(), MapStep{BinaryOp::Add, ElementType::Float});
  for (const MapStep& step : steps(ElementType::Float, {BinaryOp::Greater, BinaryOp::Multiply})) expression.push_back(step);
  std::vector<std::size_t> all(operands.size());
  std::iota(all.begin(), all.end(), 0);
  ops::mapInPlace(n.builder(), "scale", expression, operands, n.hostKernel(all));
  n.give(scale);
}
void lowerScaleGradient(NodeLowering& n) {
  const Tensor gradient = n.input(0);
  const Tensor part = shardsOf(n) > 1 ? heldPart(gradient, shardsOf(n)) : gradient;
  ops::mapInPlace(n.timeBuilder(), "scale", steps(part.elementType(), {BinaryOp::Multiply}), {part, n.input(1)});
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
    {"LossScaleUpdate", 1, inferSame, lossScaleUpdate, lowerLossScaleUpdate, nullptr, kPlain, kOwnDomain},
    {"RmsPropUpdate", 1, inferUpdate, ofEach<scaledBySquares>, lowerSquares, nullptr, kPlain, kOwnDomain},
    {"ScaleGradient", 1, inferSame, scaleGradient, lowerScaleGradient, nullptr, kPlain, kOwnDomain},
    {"SetZero", 1, inferSetZero, setZero, lowerSetZero, nullptr, kPlain, kOwnDomain},
    {"SgdUpdate", 1, inferUpdate, ofEach<sgd>, lowerSgd, nullptr, kPlain, kOwnDomain},
    {"SquareSum", 1, inferSquareSum, squareSum, lowerSquareSum, nullptr, kPlain, kOwnDomain},
    {"UnscaleFactor", 1, inferSquareSum, unscaleFactor, lowerUnscaleFactor, nullptr, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> updateOperators() { return kUpdateOperators; }

} // namespace simcore::model

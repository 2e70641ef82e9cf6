// Weight updates: type rules and host evaluation. Formulas: optimiser.h.
#include "simcore/model/evaluate.h"
#include "simcore/model/graph_builder.h"
#include "simcore/model/training/optimiser.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

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

// Replicas are identical and one is simulated, so the mean over them is what the one has. A share stands for all shares: the
// numbers are those of the whole tensor, whatever part of it the machine holds.
Types inferAll(const Call& call) {
  Types types;
  for (std::size_t i = 0; i < call.inputCount(); ++i) types.push_back(call.type(i));
  return types;
}
Tensors replicated(const Call& call) {
  Tensors values;
  for (std::size_t i = 0; i < call.inputCount(); ++i) values.push_back(call.value(i));
  return values;
}
// Inputs: the new shares, then the whole parameters they go into.
Types inferAllGather(const Call& call) {
  Types types = inferAll(call);
  types.resize(types.size() / 2);
  return types;
}
Tensors gathered(const Call& call) {
  Tensors values = replicated(call);
  values.resize(values.size() / 2);
  return values;
}

constexpr Operator kUpdateOperators[] = {
    {"RemoteLoad", inferAll, replicated, kOwnDomain},
    {"RemoteStore", inferAll, replicated, kOwnDomain},
    {"SgdUpdate", inferUpdate, ofEach<sgd>, kOwnDomain},
    {"AdamUpdate", inferUpdate, ofEach<adam>, kOwnDomain},
    {"RmsPropUpdate", inferUpdate, ofEach<scaledBySquares>, kOwnDomain},
    {"AdaGradUpdate", inferUpdate, ofEach<scaledBySquares>, kOwnDomain},
    {"Accumulate", inferSame, accumulate, kOwnDomain},
    {"SetZero", inferSetZero, setZero, kOwnDomain},
    {"SquareSum", inferSquareSum, squareSum, kOwnDomain},
    {"ClipFactor", inferSquareSum, clipFactor, kOwnDomain},
    {"ScaleGradient", inferSame, scaleGradient, kOwnDomain},
    {"UnscaleFactor", inferSquareSum, unscaleFactor, kOwnDomain},
    {"CountLarge", inferSquareSum, countLarge, kOwnDomain},
    {"LossScaleUpdate", inferSame, lossScaleUpdate, kOwnDomain},
    {"AllReduce", inferAll, replicated, kOwnDomain},
    {"ReduceScatter", inferAll, replicated, kOwnDomain},
    {"AllGather", inferAllGather, gathered, kOwnDomain},
    {"CountStep", inferSame, countStep, kOwnDomain},
};

} // namespace

std::span<const Operator> updateOperators() { return kUpdateOperators; }

} // namespace simcore::model

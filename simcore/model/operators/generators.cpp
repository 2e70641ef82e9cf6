// Operators that make tensors from attributes or shapes: constants, ranges, random numbers and the masks of Dropout.
#include "simcore/model/operators/family.h"
#include "simcore/numerics/layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <random>

namespace simcore::model {

using codelets::CastTo;
using codelets::RandomKind;

namespace {

// ---- parameters ------------------------------------------------------------------------------------------------------------

ops::RandomSeed randomSeed(const Call& call) {
  std::uint64_t seed = 1469598103934665603u; // FNV-1a
  const auto mix = [&](unsigned char byte) { seed = (seed ^ std::uint64_t(byte)) * 1099511628211u; };
  if (call.attributes().has("seed")) {
    const auto bits = std::bit_cast<std::uint32_t>(call.attributes().real("seed", 0));
    for (int byte = 0; byte < 4; ++byte) mix(static_cast<unsigned char>(bits >> 8 * byte));
  } else {
    for (const char c : call.node().outputs.at(0)) mix(static_cast<unsigned char>(c)); // names of nodes may be equal
  }
  return {ops::mixedBits(seed), call.attributes().has("seed")};
}

// ---- types and numbers -----------------------------------------------------------------------------------------------------

HostTensor constantValue(const Call& call) {
  const Attributes& a = call.attributes();
  if (a.has("value")) return a.tensor("value");
  if (a.has("value_float")) return HostTensor::scalar(a.real("value_float", 0));
  if (a.has("value_floats")) return HostTensor::vector(a.reals("value_floats"));
  if (a.has("value_int")) return HostTensor::scalar(a.integer("value_int", 0));
  if (a.has("value_ints")) return HostTensor::vector(a.integers("value_ints"));
  throw Error(ErrorCode::Unsupported,
              "Constant without a numeric value (opset " + std::to_string(call.opset()) + ") is not supported");
}
Types inferConstant(const Call& call) {
  const HostTensor value = constantValue(call);
  return {{value.type(), value.shape()}};
}
Tensors constant(const Call& call) { return {constantValue(call)}; }

HostTensor fillValue(const Call& call) {
  return call.attributes().has("value") ? call.attributes().tensor("value") : HostTensor::scalar(0.0f);
}
Types inferConstantOfShape(const Call& call) { return {{fillValue(call).type(), call.value(0).toIntegers()}}; }
Tensors constantOfShape(const Call& call) {
  const HostTensor value = fillValue(call);
  if (value.count() != 1) refuseNode("the value of ConstantOfShape must be one element");
  return {numerics::expand(value.reshaped({}), call.value(0).toIntegers())};
}

std::int64_t rangeCount(const Call& call) {
  const double start = call.value(0).at(0), limit = call.value(1).at(0), step = call.value(2).at(0);
  const double count = std::ceil((limit - start) / step);
  if (!(step != 0)) refuseNode("the step of Range is 0");
  if (!(count < 1e12)) refuseNode("Range has " + std::to_string(count) + " elements, not fewer than 1e12");
  return std::max<std::int64_t>(0, std::int64_t(count));
}
Types inferRange(const Call& call) { return {{call.elementType(0), {rangeCount(call)}}}; }
Tensors range(const Call& call) { return {numerics::range(call.value(0), call.value(2), rangeCount(call))}; }

ElementType eyeType(const Call& call) {
  const std::int64_t number = call.attributes().integer("dtype", 0);
  return number == 0 ? call.elementType(0) : elementTypeOf(call, number);
}

Types inferEye(const Call& call) {
  const Shape& shape = call.shape(0);
  if (shape.size() != 2) refuseNode("EyeLike makes matrices, not " + numerics::toString(shape));
  return {{eyeType(call), shape}};
}
Tensors eye(const Call& call) {
  return {numerics::eye(inferEye(call)[0].shape, call.attributes().integer("k", 0)).cast(eyeType(call))};
}

// Random numbers of the host; on the machine, tiles draw their own.
std::mt19937_64 generatorOf(const Call& call) { return std::mt19937_64(randomSeed(call).value); }
double uniform(std::mt19937_64& random) { return double(random() >> 11) * 0x1p-53; }
double normal(std::mt19937_64& random) { // Box and Muller
  const double radius = std::sqrt(-2 * std::log(1 - uniform(random)));
  return radius * std::cos(6.283185307179586 * uniform(random));
}

TensorType randomType(const Call& call) {
  const bool isLike = call.inputCount() > 0;
  const std::int64_t number = call.attributes().integer("dtype", 0);
  TensorType type{isLike ? call.elementType(0) : ElementType::Float,
                  isLike ? call.shape(0) : Shape(call.attributes().integers("shape"))};
  if (number) type.type = elementTypeOf(call, number);
  return type;
}
Types inferRandom(const Call& call) { return {randomType(call)}; }
template<class Draw> Tensors drawn(const Call& call, Draw draw) {
  const TensorType type = randomType(call);
  std::mt19937_64 random = generatorOf(call);
  std::vector<double> values(std::size_t(numerics::elementCount(type.shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = draw(random, i);
  return {HostTensor::of(type.shape, values).cast(type.type)};
}
Tensors randomNormal(const Call& call) {
  const auto mean = real(call, "mean", 0), scale = real(call, "scale", 1);
  return drawn(call, [=](std::mt19937_64& random, std::size_t) { return mean + scale * normal(random); });
}
Tensors randomUniform(const Call& call) {
  const auto low = real(call, "low", 0), high = real(call, "high", 1);
  return drawn(call, [=](std::mt19937_64& random, std::size_t) { return low + (high - low) * uniform(random); });
}
Tensors bernoulli(const Call& call) {
  const std::vector<double> chances = call.value(0).toDoubles();
  return drawn(call, [&](std::mt19937_64& random, std::size_t i) { return uniform(random) < chances[i] ? 1.0 : 0.0; });
}

// A shape is known as soon as the input's type is, so Shape and Size return values even if the input's value is unknown.
std::vector<std::int64_t> shapeValues(const Call& call) {
  const Shape& shape = call.shape(0);
  const auto rank = std::int64_t(shape.size());
  const auto clamped = [&](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const std::int64_t start = clamped(call.attributes().integer("start", 0)),
                     end = clamped(call.attributes().integer("end", rank));
  if (end <= start) return {};
  return {shape.begin() + start, shape.begin() + end};
}
Types inferShapeValues(const Call& call) { return {{ElementType::Int64, {std::int64_t(shapeValues(call).size())}}}; }
Tensors evaluateShape(const Call& call) { return {HostTensor::vector(shapeValues(call))}; }
Types inferSize(const Call&) { return {{ElementType::Int64, {}}}; }
Tensors sizeOf(const Call& call) { return {HostTensor::scalar(numerics::elementCount(call.shape(0)))}; }

// Dropout is the identity in inference, and in training with a ratio of 0. In all other cases the tiles of the machine draw the
// random numbers (graph/expansion.h), and the host cannot compute the result.
void requireInference(const Call& call) {
  const bool training = call.has(2) && call.value(2).integerAt(0) != 0;
  if (training && (!call.has(1) || call.value(1).at(0) != 0))
    throw Error(ErrorCode::Unsupported,
                "Dropout in training samples its mask on the machine, so its result is not known before the run");
}
Types inferDropout(const Call& call) {
  requireInference(call);
  return {call.type(0), {ElementType::Bool, call.shape(0)}};
}
Tensors dropout(const Call& call) {
  requireInference(call);
  if (!call.wantsOutput(1)) return {call.value(0)};
  return {call.value(0), HostTensor::full(ElementType::Bool, call.shape(0), 1)};
}

[[noreturn]] Tensors drawnOnMachine(const Call&) {
  throw Error(ErrorCode::Unsupported,
              "Dropout in training samples its mask on the machine, so its result is not known before the run");
}
Types inferDropoutSeed(const Call&) { return {{ElementType::UInt32, {2}}}; }

// ---- plan ------------------------------------------------------------------------------------------------------------------

// A tensor of random numbers with the mapping of `like`, or evenly mapped if `like` is not computed in the run.
Tensor drawn(NodeLowering& n, ElementType type, const ops::RandomNumbers& numbers, const std::optional<Tensor>& like = {}) {
  const ops::OpBuilder& b = n.positionBuilder();
  const bool follows = like && like->wholeVariable().valid();
  const Tensor x = b.output(type, n.outputShape(), "random",
                            follows ? b.layoutOf(*like) : b.linear(numerics::elementCount(n.outputShape()), type));
  ops::fillRandom(b, x, numbers, randomSeed(n.call()));
  return x;
}

// The mapping of the input that gives the shape, because the result is usually combined with that input next.
std::optional<Tensor> likeInput(NodeLowering& n) {
  if (n.call().inputCount() == 0 || n.call().isKnown(0)) return {};
  return n.input(0);
}

void lowerNormal(NodeLowering& n) {
  ops::RandomNumbers numbers;
  numbers.kind = RandomKind::Normal;
  numbers.mean = real(n.call(), "mean", 0);
  numbers.deviation = real(n.call(), "scale", 1);
  n.give(drawn(n, n.outputType(), numbers, likeInput(n)));
}

void lowerUniform(NodeLowering& n) {
  ops::RandomNumbers numbers;
  numbers.low = real(n.call(), "low", 0);
  numbers.high = real(n.call(), "high", 1);
  n.give(drawn(n, n.outputType(), numbers, likeInput(n)));
}

// Compares uniform floats below 1 with the probabilities: each element has its own probability, but the codelet takes only one.
void lowerBernoulli(NodeLowering& n) {
  ops::RandomNumbers numbers;
  numbers.low = 0;
  numbers.high = 1 - 0x1p-24;
  const Tensor chances = n.input(0), u = drawn(n, ElementType::Float, numbers, chances);
  const ElementType to = n.outputType();
  std::vector<MapStep> steps{{BinaryOp::Less, ElementType::Float}, {CastTo{to}, ElementType::Bool}};
  if (chances.elementType() != ElementType::Float)
    steps.insert(steps.begin(), {CastTo{ElementType::Float}, chances.elementType()});
  n.give(ops::map(n.positionBuilder(), "bernoulli", steps, {u, chances}, to, n.outputShape(),
                  ops::oneResult([to](const Tensors& in) {
                    return numerics::binary(BinaryKind::Less, in[0], in[1].cast(in[0].type())).cast(to);
                  })));
}

void lowerEyeLike(NodeLowering& n) {
  const std::int64_t k = n.call().attributes().integer("k", 0), columns = n.outputShape()[1];
  n.give(ops::generate(n.builder(), "identityMatrix", {}, n.outputType(), n.outputShape(), 3, {},
                       ops::eachPosition([=](const Tensors&, std::int64_t at) { return at % columns - at / columns == k; })));
}

void lowerDropout(NodeLowering& n) {
  if (n.call().wantsOutput(1)) // inference keeps all elements
    n.give(ops::generate(n.builder(), "mask", {}, n.outputType(1), n.outputShape(1), 1, {},
                         ops::eachPosition([](const Tensors&, std::int64_t) { return true; })),
           1);
  n.giveView(n.input(0));
}

void lowerDropoutSeed(NodeLowering& n) { n.give(ops::drawSeed(n.positionBuilder(), randomSeed(n.call()))); }
void lowerSeededDropout(NodeLowering& n) {
  const double keep = 1 - double(n.call().attributes().real("ratio", 0.5f));
  n.give(ops::dropout(n.positionBuilder(), n.input(0), keep, 1 / keep, ops::RandomSeed(n.input(1)), true));
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

void dropoutBack(const GradientCall& c) { c.give(0, c.gradient()); }
void seededDropoutBack(const GradientCall& c) {
  c.give(0, c.graph().addOwn("SeededDropout", {c.gradient(), c.input(1)}, c.node().attributes));
}

constexpr Operator kGeneratorsOperators[] = {
    {"Bernoulli", 15, inferRandom, bernoulli, lowerBernoulli, [](const GradientCall&) {}, kRandom},
    {"Constant", 1, inferConstant, constant},
    {"ConstantOfShape", 9, inferConstantOfShape, constantOfShape, nullptr, nullptr},
    {"EyeLike", 9, inferEye, eye, lowerEyeLike, [](const GradientCall&) {}},
    {"RandomNormal", 6, inferRandom, randomNormal, lowerNormal, nullptr, kRandom},
    {"RandomNormalLike", 6, inferRandom, randomNormal, lowerNormal, [](const GradientCall&) {}, kRandom},
    {"RandomUniform", 6, inferRandom, randomUniform, lowerUniform, nullptr, kRandom},
    {"RandomUniformLike", 6, inferRandom, randomUniform, lowerUniform, [](const GradientCall&) {}, kRandom},
    {"Range", 11, inferRange, range, nullptr, nullptr},
    {"Shape", 1, inferShapeValues, evaluateShape},
    {"Size", 1, inferSize, sizeOf},
    {"Dropout", 1, inferDropout, dropout, lowerDropout, dropoutBack},
    {"DropoutSeed", 1, inferDropoutSeed, drawnOnMachine, lowerDropoutSeed, nullptr, kRandom | kDrawsOn, kOwnDomain},
    {"SeededDropout", 1, inferSame, drawnOnMachine, lowerSeededDropout, seededDropoutBack, kPlain, kOwnDomain},
};

} // namespace

std::span<const Operator> generatorsOperators() { return kGeneratorsOperators; }

} // namespace simcore::model

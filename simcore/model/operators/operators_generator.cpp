// Operators that make tensors from attributes or shapes.
#include "simcore/model/parameters.h"

#include <cmath>
#include <random>

namespace simcore::model {

using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

namespace {

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
  if (value.count() != 1) throw Error(ErrorCode::InvalidInput, "the value of ConstantOfShape must be one element");
  if (isInteger(value.type())) { // exact for 64 bits too
    HostTensor result = HostTensor::full(value.type(), call.value(0).toIntegers(), 0);
    numerics::visitAny(value.type(), [&](auto zero) {
      using T = decltype(zero);
      for (T& element : result.mutableValues<T>()) element = value.values<T>()[0];
    });
    return {result};
  }
  return {HostTensor::full(value.type(), call.value(0).toIntegers(), value.at(0))};
}

std::int64_t rangeCount(const Call& call) {
  const double start = call.value(0).at(0), limit = call.value(1).at(0), step = call.value(2).at(0);
  const double count = std::ceil((limit - start) / step);
  if (!(step != 0) || !(count < 1e12)) throw Error(ErrorCode::InvalidInput, "Range never ends");
  return std::max<std::int64_t>(0, std::int64_t(count));
}
Types inferRange(const Call& call) { return {{call.elementType(0), {rangeCount(call)}}}; }
Tensors range(const Call& call) {
  HostTensor result = HostTensor::uninitialised(call.elementType(0), {rangeCount(call)});
  numerics::visitAny(result.type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const T start = call.value(0).values<T>()[0], step = call.value(2).values<T>()[0];
      std::int64_t i = 0;
      for (T& element : result.mutableValues<T>()) element = T(start + T(i++) * step);
    } else {
      throw Error(ErrorCode::Unsupported,
                  "Range of elements of type " + std::string(elementTypeName(result.type())) + " is not supported");
    }
  });
  return {result};
}

ElementType chosenType(const Call& call, std::int64_t number) {
  switch (number) { // TensorProto.DataType
  case 1: return ElementType::Float;
  case 2: return ElementType::UInt8;
  case 3: return ElementType::Int8;
  case 6: return ElementType::Int32;
  case 7: return ElementType::Int64;
  case 9: return ElementType::Bool;
  case 10: return ElementType::Half;
  case 11: return ElementType::Double;
  default:
    throw Error(ErrorCode::Unsupported,
                call.node().opType + " of element type number " + std::to_string(number) + " is not supported");
  }
}
ElementType eyeType(const Call& call) {
  const std::int64_t number = call.attributes().integer("dtype", 0);
  return number == 0 ? call.elementType(0) : chosenType(call, number);
}

Types inferEye(const Call& call) {
  const Shape& shape = call.shape(0);
  if (shape.size() != 2) throw Error(ErrorCode::InvalidInput, "EyeLike makes matrices, not " + numerics::toString(shape));
  return {{eyeType(call), shape}};
}
Tensors eye(const Call& call) {
  const Shape shape = inferEye(call)[0].shape;
  const std::int64_t k = call.attributes().integer("k", 0);
  std::vector<float> values(std::size_t(numerics::elementCount(shape)), 0.0f);
  for (std::int64_t row = 0; row < shape[0]; ++row)
    if (k >= -row && k < shape[1] - row) values[std::size_t(row * shape[1] + row + k)] = 1;
  return {HostTensor::of(shape, values).cast(eyeType(call))};
}

// Random numbers of the host; a machine draws those of its tiles.
std::mt19937_64 generatorOf(const Call& call) { return std::mt19937_64(randomSeed(call)); }
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
  if (number) type.type = chosenType(call, number);
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
  const auto mean = double(call.attributes().real("mean", 0)), scale = double(call.attributes().real("scale", 1));
  return drawn(call, [=](std::mt19937_64& random, std::size_t) { return mean + scale * normal(random); });
}
Tensors randomUniform(const Call& call) {
  const auto low = double(call.attributes().real("low", 0)), high = double(call.attributes().real("high", 1));
  return drawn(call, [=](std::mt19937_64& random, std::size_t) { return low + (high - low) * uniform(random); });
}
Tensors bernoulli(const Call& call) {
  const std::vector<double> chances = call.value(0).toDoubles();
  return drawn(call, [&](std::mt19937_64& random, std::size_t i) { return uniform(random) < chances[i] ? 1.0 : 0.0; });
}

constexpr Operator kGeneratorOperators[] = {
    {"RandomNormal", inferRandom, randomNormal, "", true},
    {"RandomNormalLike", inferRandom, randomNormal, "", true},
    {"RandomUniform", inferRandom, randomUniform, "", true},
    {"RandomUniformLike", inferRandom, randomUniform, "", true},
    {"Bernoulli", inferRandom, bernoulli, "", true},
    {"Constant", inferConstant, constant},
    {"ConstantOfShape", inferConstantOfShape, constantOfShape},
    {"Range", inferRange, range},
    {"EyeLike", inferEye, eye},
};

} // namespace

std::span<const Operator> generatorOperators() { return kGeneratorOperators; }

} // namespace simcore::model

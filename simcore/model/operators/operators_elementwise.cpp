// Arithmetic, comparisons and logic: everything that broadcasts.
#include "simcore/model/operators/operand_check.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/elementwise.h"

#include <cmath>

namespace simcore::model {

using numerics::BinaryKind;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using numerics::UnaryKind;

namespace {

BinaryKind kindOf(const Call& call) {
  static const std::unordered_map<std::string, BinaryKind> kinds{{"Add", BinaryKind::Add},
                                                                 {"Sub", BinaryKind::Sub},
                                                                 {"Mul", BinaryKind::Mul},
                                                                 {"Div", BinaryKind::Div},
                                                                 {"Pow", BinaryKind::Pow},
                                                                 {"And", BinaryKind::And},
                                                                 {"Or", BinaryKind::Or},
                                                                 {"Xor", BinaryKind::Xor},
                                                                 {"Equal", BinaryKind::Equal},
                                                                 {"Less", BinaryKind::Less},
                                                                 {"LessOrEqual", BinaryKind::LessOrEqual},
                                                                 {"Greater", BinaryKind::Greater},
                                                                 {"GreaterOrEqual", BinaryKind::GreaterOrEqual},
                                                                 {"Mod", BinaryKind::Mod},
                                                                 {"BitShift", BinaryKind::BitShiftLeft},
                                                                 {"Min", BinaryKind::Min},
                                                                 {"Max", BinaryKind::Max},
                                                                 {"Sum", BinaryKind::Add},
                                                                 {"Mean", BinaryKind::Add}};
  const std::string& type = call.node().opType;
  if (type == "Mod" && call.attributes().integer("fmod", 0)) return BinaryKind::Fmod;
  if (type == "BitShift" && call.attributes().text("direction", "") == "RIGHT") return BinaryKind::BitShiftRight;
  return kinds.at(type);
}

Types inferBinary(const Call& call) {
  requireNoMoreInputs(call, 2);
  const ElementType type = kindOf(call) >= BinaryKind::Equal ? ElementType::Bool : call.elementType(0);
  return {{type, numerics::broadcast(call.shape(0), alignedShape(call))}};
}
Tensors binary(const Call& call) {
  return {numerics::binary(kindOf(call), call.value(0), call.value(1).reshaped(alignedShape(call)))};
}

Types inferVariadic(const Call& call) {
  Shape shape = call.shape(0);
  for (std::size_t i = 1; i < call.inputCount(); ++i) shape = numerics::broadcast(shape, call.shape(i));
  return {{call.elementType(0), shape}};
}
Tensors variadic(const Call& call) {
  HostTensor result = call.value(0);
  for (std::size_t i = 1; i < call.inputCount(); ++i) result = numerics::binary(kindOf(call), result, call.value(i));
  if (call.node().opType == "Mean")
    result = numerics::binary(BinaryKind::Div, result, HostTensor::full(result.type(), {}, double(call.inputCount())));
  return {result};
}

Types inferBool(const Call& call) { return {{ElementType::Bool, call.shape(0)}}; }

Tensors isInf(const Call& call) {
  return {numerics::unary(UnaryKind::IsInf, call.value(0), double(call.attributes().integer("detect_negative", 1)),
                          double(call.attributes().integer("detect_positive", 1)))};
}

Types inferWhere(const Call& call) {
  return {{call.elementType(1), numerics::broadcast(call.shape(0), numerics::broadcast(call.shape(1), call.shape(2)))}};
}
Tensors where(const Call& call) { return {numerics::where(call.value(0), call.value(1), call.value(2))}; }

Tensors clip(const Call& call) {
  const HostTensor& x = call.value(0);
  const auto limit = [&](std::size_t i, const char* name) -> std::optional<HostTensor> {
    if (call.has(i)) return call.value(i);
    if (!call.attributes().has(name)) return std::nullopt;
    return HostTensor::full(x.type(), {}, double(call.attributes().real(name, 0)));
  };
  const auto low = limit(1, "min"), high = limit(2, "max");
  return {numerics::clip(x, low ? &*low : nullptr, high ? &*high : nullptr)};
}

Types inferCast(const Call& call);
ElementType castTarget(const Call& call);
Tensors cast(const Call& call) { return {call.value(0).cast(castTarget(call))}; }

Types inferCastLike(const Call& call) { return {{call.elementType(1), call.shape(0)}}; }
Tensors castLike(const Call& call) { return {call.value(0).cast(call.elementType(1))}; }

ElementType castTarget(const Call& call) {
  // The numbers of TensorProto.DataType.
  static const std::unordered_map<std::int64_t, ElementType> types{
      {1, ElementType::Float},    {2, ElementType::UInt8},   {3, ElementType::Int8},    {4, ElementType::UInt16},
      {5, ElementType::Int16},    {6, ElementType::Int32},   {7, ElementType::Int64},   {9, ElementType::Bool},
      {10, ElementType::Half},    {11, ElementType::Double}, {12, ElementType::UInt32}, {13, ElementType::UInt64},
      {16, ElementType::BFloat16}};
  const std::int64_t number = call.attributes().requiredInteger("to");
  const auto found = types.find(number);
  if (found != types.end()) return found->second;
  throw reports::Error(reports::ErrorCode::Unsupported,
                       "Cast to the element type number " + std::to_string(number) + " is not supported");
}
Types inferCast(const Call& call) { return {{castTarget(call), call.shape(0)}}; }

constexpr Operator kElementwiseOperators[] = {
    {"Add", inferBinary, binary},
    {"Sub", inferBinary, binary},
    {"Mul", inferBinary, binary},
    {"Div", inferBinary, binary},
    {"Pow", inferBinary, binary},
    {"Mod", inferBinary, binary},
    {"BitShift", inferBinary, binary},
    {"And", inferBinary, binary},
    {"Or", inferBinary, binary},
    {"Xor", inferBinary, binary},
    {"Equal", inferBinary, binary},
    {"Less", inferBinary, binary},
    {"LessOrEqual", inferBinary, binary},
    {"Greater", inferBinary, binary},
    {"GreaterOrEqual", inferBinary, binary},
    {"Min", inferVariadic, variadic},
    {"Max", inferVariadic, variadic},
    {"Sum", inferVariadic, variadic},
    {"Mean", inferVariadic, variadic},
    {"Abs", inferUnary, unary<UnaryKind::Abs>},
    {"Neg", inferUnary, unary<UnaryKind::Neg>},
    {"Sign", inferUnary, unary<UnaryKind::Sign>},
    {"Floor", inferUnary, unary<UnaryKind::Floor>},
    {"Ceil", inferUnary, unary<UnaryKind::Ceil>},
    {"Round", inferUnary, unary<UnaryKind::Round>},
    {"Exp", inferUnary, unary<UnaryKind::Exp>},
    {"Log", inferUnary, unary<UnaryKind::Log>},
    {"Sqrt", inferUnary, unary<UnaryKind::Sqrt>},
    {"Reciprocal", inferUnary, unary<UnaryKind::Reciprocal>},
    {"Erf", inferUnary, unary<UnaryKind::Erf>},
    {"Sin", inferUnary, unary<UnaryKind::Sin>},
    {"Cos", inferUnary, unary<UnaryKind::Cos>},
    {"Tan", inferUnary, unary<UnaryKind::Tan>},
    {"Asin", inferUnary, unary<UnaryKind::Asin>},
    {"Acos", inferUnary, unary<UnaryKind::Acos>},
    {"Atan", inferUnary, unary<UnaryKind::Atan>},
    {"Sinh", inferUnary, unary<UnaryKind::Sinh>},
    {"Cosh", inferUnary, unary<UnaryKind::Cosh>},
    {"Asinh", inferUnary, unary<UnaryKind::Asinh>},
    {"Acosh", inferUnary, unary<UnaryKind::Acosh>},
    {"Atanh", inferUnary, unary<UnaryKind::Atanh>},
    {"Not", inferUnary, unary<UnaryKind::Not>},
    {"IsNaN", inferBool, unary<UnaryKind::IsNaN>},
    {"IsInf", inferBool, isInf},
    {"Where", inferWhere, where},
    {"Clip", inferSame, clip},
    {"Cast", inferCast, cast},
    {"CastLike", inferCastLike, castLike},
};

} // namespace

std::span<const Operator> elementwiseOperators() { return kElementwiseOperators; }

} // namespace simcore::model

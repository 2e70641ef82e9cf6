// The element types of each operation, as the vertices of popops have them. An expression of several operations is one generated codelet, which
// takes any type that C++ takes.
#include "poplar/exceptions.hpp"
#include "simcore/poplar/libs/expression.h"
#include "simcore/poplar/libs/library_call.h"

#include <array>

namespace simcore::poplar {

namespace {

namespace pe = ::popops::expr;
using numerics::ElementType;

enum Kinds : unsigned { kFloating = 1, kSigned = 2, kUnsigned = 4, kTruth = 8 };
constexpr unsigned kWhole = kSigned | kUnsigned, kNumbers = kFloating | kWhole, kAnyKind = kNumbers | kTruth;

unsigned kindOf(ElementType type) {
  if (numerics::isFloating(type)) return kFloating;
  switch (type) {
  case ElementType::Bool: return kTruth;
  case ElementType::UInt8:
  case ElementType::UInt16:
  case ElementType::UInt32:
  case ElementType::UInt64: return kUnsigned;
  default: return kSigned;
  }
}

struct Rule {
  const char* name;
  unsigned kinds;
};

Rule ruleOf(pe::UnaryOpType type) {
  using enum pe::UnaryOpType;
  switch (type) {
  case ABSOLUTE: return {"ABSOLUTE", kFloating | kSigned};
  case ASIN: return {"ASIN", kFloating};
  case BITWISE_NOT: return {"BITWISE_NOT", kWhole};
  case CBRT: return {"CBRT", kFloating};
  case CEIL: return {"CEIL", kFloating};
  case COS: return {"COS", kFloating};
  case COUNT_LEADING_ZEROS: return {"COUNT_LEADING_ZEROS", kWhole};
  case ERF: return {"ERF", kFloating};
  case EXPONENT: return {"EXPONENT", kFloating};
  case EXPONENT_MINUS_ONE: return {"EXPONENT_MINUS_ONE", kFloating};
  case EXPONENT2: return {"EXPONENT2", kFloating};
  case FLOOR: return {"FLOOR", kFloating};
  case GELU_ERF: return {"GELU_ERF", kFloating};
  case INVERSE: return {"INVERSE", kFloating};
  case IS_FINITE: return {"IS_FINITE", kFloating};
  case IS_INF: return {"IS_INF", kFloating};
  case IS_NAN: return {"IS_NAN", kFloating};
  case LOGARITHM: return {"LOGARITHM", kFloating};
  case LOGARITHM_ONE_PLUS: return {"LOGARITHM_ONE_PLUS", kFloating};
  case LOGICAL_NOT: return {"LOGICAL_NOT", kTruth};
  case NEGATE: return {"NEGATE", kFloating | kSigned};
  case NEARBY_INT: return {"NEARBY_INT", kFloating};
  case POPCOUNT: return {"POPCOUNT", kWhole};
  case RELU: return {"RELU", kFloating};
  case SIGNUM: return {"SIGNUM", kFloating | kSigned};
  case SIN: return {"SIN", kFloating};
  case TAN: return {"TAN", kFloating};
  case TANH: return {"TANH", kFloating};
  case ROUND: return {"ROUND", kFloating};
  case SQRT: return {"SQRT", kFloating | kSigned};
  case SQUARE: return {"SQUARE", kNumbers};
  case SIGMOID: return {"SIGMOID", kFloating};
  case RSQRT: return {"RSQRT", kFloating};
  case TRUNC: return {"TRUNC", kFloating};
  }
  return {"", kAnyKind};
}

Rule ruleOf(pe::BinaryOpType type) {
  using enum pe::BinaryOpType;
  switch (type) {
  case ADD: return {"ADD", kNumbers};
  case ATAN2: return {"ATAN2", kFloating};
  case BITWISE_AND: return {"BITWISE_AND", kWhole};
  case BITWISE_OR: return {"BITWISE_OR", kWhole};
  case BITWISE_XOR: return {"BITWISE_XOR", kWhole};
  case BITWISE_XNOR: return {"BITWISE_XNOR", kWhole};
  case DIVIDE: return {"DIVIDE", kNumbers};
  case INV_STD_DEV_TO_VARIANCE: return {"INV_STD_DEV_TO_VARIANCE", kFloating};
  case LOGICAL_AND: return {"LOGICAL_AND", kTruth};
  case LOGICAL_OR: return {"LOGICAL_OR", kTruth};
  case MAXIMUM: return {"MAXIMUM", kNumbers};
  case MINIMUM: return {"MINIMUM", kNumbers};
  case MULTIPLY: return {"MULTIPLY", kNumbers};
  case POWER: return {"POWER", kFloating | kSigned};
  case REMAINDER: return {"REMAINDER", kNumbers};
  case SHIFT_LEFT: return {"SHIFT_LEFT", kWhole};
  case SHIFT_RIGHT: return {"SHIFT_RIGHT", kWhole};
  case SHIFT_RIGHT_SIGN_EXTEND: return {"SHIFT_RIGHT_SIGN_EXTEND", kSigned};
  case SUBTRACT: return {"SUBTRACT", kNumbers};
  case VARIANCE_TO_INV_STD_DEV: return {"VARIANCE_TO_INV_STD_DEV", kFloating};
  case EQUAL:
  case NOT_EQUAL:
  case GREATER_THAN:
  case GREATER_THAN_EQUAL:
  case LESS_THAN:
  case LESS_THAN_EQUAL: break;
  }
  return {"", kAnyKind};
}

std::string namesOf(unsigned kinds) {
  static constexpr std::array<std::pair<unsigned, const char*>, 4> kNames{
      {{kFloating, "FLOAT or HALF"}, {kSigned, "signed integers"}, {kUnsigned, "unsigned integers"}, {kTruth, "BOOL"}}};
  std::string text;
  for (const auto& [kind, name] : kNames)
    if (kinds & kind) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

} // namespace

void requireOperandTypes(const pe::Expr& e, const std::vector<graph::Tensor>& operands) {
  const auto check = [&](const Rule& rule, std::initializer_list<const pe::Expr*> arguments) {
    for (const pe::Expr* argument : arguments)
      if (!dynamic_cast<const pe::PlaceHolder*>(argument) && !dynamic_cast<const pe::Const*>(argument)) return;
    for (const pe::Expr* argument : arguments) {
      const auto* p = dynamic_cast<const pe::PlaceHolder*>(argument);
      if (!p || p->getIndex() < 1 || p->getIndex() > operands.size()) continue;
      const graph::Tensor& t = operands[p->getIndex() - 1];
      if (rule.kinds & kindOf(t.elementType())) continue;
      throw ::poplar::unknown_vertex_type("popops: no vertex computes " + std::string(rule.name) + " of " + t.getDebugStr() +
                                          " " + numerics::elementTypeName(t.elementType()) + " (the operation takes " +
                                          namesOf(rule.kinds) + ": cast the tensor)");
    }
  };
  if (const auto* u = dynamic_cast<const pe::UnaryOp*>(&e)) check(ruleOf(u->getOpType()), {&u->getArg()});
  if (const auto* b = dynamic_cast<const pe::BinaryOp*>(&e)) check(ruleOf(b->getOpType()), {&b->getLHS(), &b->getRHS()});
}

} // namespace simcore::poplar

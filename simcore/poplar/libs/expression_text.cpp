#include "popops/ExprOpUtils.hpp"

#include "popops/Expr.hpp"
#include "poputil/exceptions.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

namespace popops::expr {

namespace ostream_ext {

std::ostream& operator<<(std::ostream& out, const UnaryOpType& type) {
  static constexpr const char* kNames[] = {"ABSOLUTE",
                                           "ASIN",
                                           "BITWISE_NOT",
                                           "CBRT",
                                           "CEIL",
                                           "COS",
                                           "COUNT_LEADING_ZEROS",
                                           "ERF",
                                           "EXPONENT",
                                           "EXPONENT_MINUS_ONE",
                                           "EXPONENT2",
                                           "FLOOR",
                                           "GELU_ERF",
                                           "INVERSE",
                                           "IS_FINITE",
                                           "IS_INF",
                                           "IS_NAN",
                                           "LOGARITHM",
                                           "LOGARITHM_ONE_PLUS",
                                           "LOGICAL_NOT",
                                           "NEGATE",
                                           "NEARBY_INT",
                                           "POPCOUNT",
                                           "RELU",
                                           "SIGNUM",
                                           "SIN",
                                           "TAN",
                                           "TANH",
                                           "ROUND",
                                           "SQRT",
                                           "SQUARE",
                                           "SIGMOID",
                                           "RSQRT",
                                           "TRUNC"};
  return out << kNames[int(type)];
}

std::ostream& operator<<(std::ostream& out, const BinaryOpType& type) {
  static constexpr const char* kNames[] = {"ADD",
                                           "ATAN2",
                                           "BITWISE_AND",
                                           "BITWISE_OR",
                                           "BITWISE_XOR",
                                           "BITWISE_XNOR",
                                           "DIVIDE",
                                           "EQUAL",
                                           "GREATER_THAN_EQUAL",
                                           "GREATER_THAN",
                                           "INV_STD_DEV_TO_VARIANCE",
                                           "LESS_THAN_EQUAL",
                                           "LOGICAL_AND",
                                           "LOGICAL_OR",
                                           "LESS_THAN",
                                           "MAXIMUM",
                                           "MINIMUM",
                                           "MULTIPLY",
                                           "NOT_EQUAL",
                                           "POWER",
                                           "REMAINDER",
                                           "SHIFT_LEFT",
                                           "SHIFT_RIGHT",
                                           "SHIFT_RIGHT_SIGN_EXTEND",
                                           "SUBTRACT",
                                           "VARIANCE_TO_INV_STD_DEV"};
  return out << kNames[int(type)];
}

std::ostream& operator<<(std::ostream& out, const TernaryOpType& type) {
  static constexpr const char* kNames[] = {"CLAMP", "SELECT"};
  return out << kNames[int(type)];
}

} // namespace ostream_ext

using namespace ostream_ext;

void Const::print(std::ostream& out) const { out << m_value; }
void PlaceHolder::print(std::ostream& out) const { out << '_' << m_index; }
void Cast::print(std::ostream& out) const { out << "Cast(" << *m_a << ", " << m_type << ')'; }
void UnaryOp::print(std::ostream& out) const { out << m_type << '(' << *m_a << ')'; }
void BinaryOp::print(std::ostream& out) const { out << m_type << '(' << *m_a << ", " << *m_b << ')'; }
void TernaryOp::print(std::ostream& out) const { out << m_type << '(' << *m_a << ", " << *m_b << ", " << *m_c << ')'; }

std::string Expr::name(const std::vector<poplar::Tensor>& inputs) const {
  std::ostringstream out;
  if (const auto* c = getAs<Const>()) {
    out << c->value();
    std::string text = out.str();
    for (char& sign : text) sign = sign == '.' ? 'z' : sign == '-' ? 'm' : sign == '+' ? 'p' : sign;
    return text;
  }
  const auto typeName = [](const poplar::Type& type) {
    std::string text = type.toString();
    std::replace(text.begin(), text.end(), ' ', '_');
    return text;
  };
  if (const auto* place = getAs<PlaceHolder>()) {
    if (place->getIndex() == 0 || place->getIndex() > inputs.size())
      throw poputil::poplibs_error("popops::expr: placeholder _" + std::to_string(place->getIndex()) +
                                   " does not exist: there are " + std::to_string(inputs.size()) + " tensors");
    return typeName(inputs[place->getIndex() - 1].elementType()) + '_' + std::to_string(place->getIndex());
  }
  if (const auto* cast = getAs<Cast>()) return "Cast_" + cast->getLHS().name(inputs) + '_' + typeName(cast->getRHSType());
  if (const auto* u = getAs<UnaryOp>())
    out << u->getOpType() << '_' << u->getArg().name(inputs);
  else if (const auto* b = getAs<BinaryOp>())
    out << b->getOpType() << '_' << b->getLHS().name(inputs) << '_' << b->getRHS().name(inputs);
  else if (const auto* t = getAs<TernaryOp>())
    out << t->getOpType() << '_' << t->getArg0().name(inputs) << '_' << t->getArg1().name(inputs) << '_'
        << t->getArg2().name(inputs);
  return out.str();
}

bool Expr::deepEquals(const Expr& other) const {
  if (const auto* a = getAs<Const>()) {
    const auto* b = other.getAs<Const>();
    return b && a->value() == b->value() && a->getType() == b->getType();
  }
  if (const auto* a = getAs<PlaceHolder>()) {
    const auto* b = other.getAs<PlaceHolder>();
    return b && a->getIndex() == b->getIndex();
  }
  if (const auto* a = getAs<Cast>()) {
    const auto* b = other.getAs<Cast>();
    return b && a->getRHSType() == b->getRHSType() && a->getLHS().deepEquals(b->getLHS());
  }
  if (const auto* a = getAs<UnaryOp>()) {
    const auto* b = other.getAs<UnaryOp>();
    return b && a->getOpType() == b->getOpType() && a->getArg().deepEquals(b->getArg());
  }
  if (const auto* a = getAs<BinaryOp>()) {
    const auto* b = other.getAs<BinaryOp>();
    return b && a->getOpType() == b->getOpType() && a->getLHS().deepEquals(b->getLHS()) && a->getRHS().deepEquals(b->getRHS());
  }
  const auto *a = getAs<TernaryOp>(), *b = other.getAs<TernaryOp>();
  return a && b && a->getOpType() == b->getOpType() && a->getArg0().deepEquals(b->getArg0()) &&
         a->getArg1().deepEquals(b->getArg1()) && a->getArg2().deepEquals(b->getArg2());
}

} // namespace popops::expr

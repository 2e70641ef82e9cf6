#include "simcore/poplar/libs/expression.h"

#include "simcore/poplar/libs/library_call.h"

#include <cmath>
#include <optional>

namespace simcore::poplar {

namespace {

namespace pe = ::popops::expr;
using codelets::BinaryOp;
using codelets::UnaryOp;
using numerics::ElementType;
using ops::Expression;
using Type = std::optional<ElementType>;

UnaryOp unaryOf(pe::UnaryOpType type) {
  switch (type) {
  case pe::UnaryOpType::ABSOLUTE: return UnaryOp::Absolute;
  case pe::UnaryOpType::ASIN: return UnaryOp::Asin;
  case pe::UnaryOpType::BITWISE_NOT: return UnaryOp::BitwiseNot;
  case pe::UnaryOpType::CBRT: return UnaryOp::Cbrt;
  case pe::UnaryOpType::CEIL: return UnaryOp::Ceil;
  case pe::UnaryOpType::COS: return UnaryOp::Cos;
  case pe::UnaryOpType::ERF: return UnaryOp::Erf;
  case pe::UnaryOpType::EXPONENT: return UnaryOp::Exp;
  case pe::UnaryOpType::EXPONENT_MINUS_ONE: return UnaryOp::Expm1;
  case pe::UnaryOpType::FLOOR: return UnaryOp::Floor;
  case pe::UnaryOpType::GELU_ERF: return UnaryOp::GeluErf;
  case pe::UnaryOpType::INVERSE: return UnaryOp::Inverse;
  case pe::UnaryOpType::IS_FINITE: return UnaryOp::IsFinite;
  case pe::UnaryOpType::IS_INF: return UnaryOp::IsInf;
  case pe::UnaryOpType::IS_NAN: return UnaryOp::IsNan;
  case pe::UnaryOpType::LOGARITHM: return UnaryOp::Log;
  case pe::UnaryOpType::LOGARITHM_ONE_PLUS: return UnaryOp::Log1p;
  case pe::UnaryOpType::LOGICAL_NOT: return UnaryOp::LogicalNot;
  case pe::UnaryOpType::NEGATE: return UnaryOp::Negate;
  case pe::UnaryOpType::NEARBY_INT: return UnaryOp::Round; // rounds half to even
  case pe::UnaryOpType::RELU: return UnaryOp::Relu;
  case pe::UnaryOpType::SIGNUM: return UnaryOp::Signum;
  case pe::UnaryOpType::SIN: return UnaryOp::Sin;
  case pe::UnaryOpType::TAN: return UnaryOp::Tan;
  case pe::UnaryOpType::TANH: return UnaryOp::Tanh;
  case pe::UnaryOpType::SQRT: return UnaryOp::Sqrt;
  case pe::UnaryOpType::SQUARE: return UnaryOp::Square;
  case pe::UnaryOpType::SIGMOID: return UnaryOp::Sigmoid;
  case pe::UnaryOpType::RSQRT: return UnaryOp::Rsqrt;
  case pe::UnaryOpType::TRUNC: return UnaryOp::Trunc;
  case pe::UnaryOpType::COUNT_LEADING_ZEROS: return UnaryOp::CountLeadingZeros;
  case pe::UnaryOpType::POPCOUNT: return UnaryOp::Popcount;
  case pe::UnaryOpType::EXPONENT2:
  case pe::UnaryOpType::ROUND: break; // a composition, see below
  }
  throw ::poputil::poplibs_error("popops: an unknown unary operation");
}

BinaryOp binaryOf(pe::BinaryOpType type) {
  switch (type) {
  case pe::BinaryOpType::ADD: return BinaryOp::Add;
  case pe::BinaryOpType::ATAN2: return BinaryOp::Atan2;
  case pe::BinaryOpType::BITWISE_AND: return BinaryOp::BitwiseAnd;
  case pe::BinaryOpType::BITWISE_OR: return BinaryOp::BitwiseOr;
  case pe::BinaryOpType::BITWISE_XOR: return BinaryOp::BitwiseXor;
  case pe::BinaryOpType::DIVIDE: return BinaryOp::Divide;
  case pe::BinaryOpType::EQUAL: return BinaryOp::Equal;
  case pe::BinaryOpType::GREATER_THAN_EQUAL: return BinaryOp::GreaterEqual;
  case pe::BinaryOpType::GREATER_THAN: return BinaryOp::Greater;
  case pe::BinaryOpType::INV_STD_DEV_TO_VARIANCE: return BinaryOp::InvStdDevToVariance;
  case pe::BinaryOpType::LESS_THAN_EQUAL: return BinaryOp::LessEqual;
  case pe::BinaryOpType::LOGICAL_AND: return BinaryOp::LogicalAnd;
  case pe::BinaryOpType::LOGICAL_OR: return BinaryOp::LogicalOr;
  case pe::BinaryOpType::LESS_THAN: return BinaryOp::Less;
  case pe::BinaryOpType::MAXIMUM: return BinaryOp::Maximum;
  case pe::BinaryOpType::MINIMUM: return BinaryOp::Minimum;
  case pe::BinaryOpType::MULTIPLY: return BinaryOp::Multiply;
  case pe::BinaryOpType::NOT_EQUAL: return BinaryOp::NotEqual;
  case pe::BinaryOpType::POWER: return BinaryOp::Power;
  case pe::BinaryOpType::REMAINDER: return BinaryOp::Remainder;
  case pe::BinaryOpType::SHIFT_LEFT: return BinaryOp::ShiftLeft;
  case pe::BinaryOpType::SHIFT_RIGHT: return BinaryOp::ShiftRight;
  case pe::BinaryOpType::SUBTRACT: return BinaryOp::Subtract;
  case pe::BinaryOpType::VARIANCE_TO_INV_STD_DEV: return BinaryOp::VarianceToInvStdDev;
  case pe::BinaryOpType::BITWISE_XNOR:
  case pe::BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND: break; // a composition, see below
  }
  throw ::poputil::poplibs_error("popops: an unknown binary operation");
}

bool isTest(pe::UnaryOpType t) {
  return t == pe::UnaryOpType::IS_FINITE || t == pe::UnaryOpType::IS_INF || t == pe::UnaryOpType::IS_NAN;
}
bool isComparison(pe::BinaryOpType t) {
  return t == pe::BinaryOpType::EQUAL || t == pe::BinaryOpType::NOT_EQUAL || t == pe::BinaryOpType::LESS_THAN ||
         t == pe::BinaryOpType::LESS_THAN_EQUAL || t == pe::BinaryOpType::GREATER_THAN ||
         t == pe::BinaryOpType::GREATER_THAN_EQUAL;
}

class Converter {
public:
  explicit Converter(const std::vector<graph::Tensor>& operands) : m_operands(operands) {}

  Expression convert(const pe::Expr& e, Type wanted) const {
    if (const auto* p = dynamic_cast<const pe::PlaceHolder*>(&e)) return Expression::placeholder(p->getIndex());
    if (const auto* c = dynamic_cast<const pe::Const*>(&e)) return constant(*c, wanted.value_or(inner(c->getType())));
    if (const auto* c = dynamic_cast<const pe::Cast*>(&e))
      return Expression::cast(convert(c->getLHS(), typeOf(c->getLHS())), inner(c->getRHSType()));
    if (const auto* u = dynamic_cast<const pe::UnaryOp*>(&e)) return unary(*u, wanted);
    if (const auto* b = dynamic_cast<const pe::BinaryOp*>(&e)) return binary(*b, wanted);
    if (const auto* t = dynamic_cast<const pe::TernaryOp*>(&e)) return ternary(*t, wanted);
    throw ::poputil::poplibs_error("popops: an expression of an unknown class");
  }

private:
  static Expression constant(const pe::Const& c, ElementType type) {
    if (!numerics::isFloating(type) && type != ElementType::Bool && c.value() != std::trunc(c.value()))
      throw ::poputil::poplibs_error("popops: the constant " + std::to_string(c.value()) +
                                     " is not a whole number, but is used with elements of type " +
                                     numerics::elementTypeName(type));
    return Expression::constant(c.value(), type);
  }

  // The type of the tensors and casts in an expression; none for constants alone.
  Type typeOf(const pe::Expr& e) const {
    if (const auto* p = dynamic_cast<const pe::PlaceHolder*>(&e))
      return p->getIndex() >= 1 && p->getIndex() <= m_operands.size() ? Type(m_operands[p->getIndex() - 1].elementType())
                                                                      : Type();
    if (const auto* c = dynamic_cast<const pe::Cast*>(&e)) return inner(c->getRHSType());
    if (const auto* u = dynamic_cast<const pe::UnaryOp*>(&e))
      return isTest(u->getOpType()) ? ElementType::Bool : typeOf(u->getArg());
    if (const auto* b = dynamic_cast<const pe::BinaryOp*>(&e))
      return isComparison(b->getOpType()) ? Type(ElementType::Bool) : either(b->getLHS(), b->getRHS());
    if (const auto* t = dynamic_cast<const pe::TernaryOp*>(&e)) {
      const Type two = either(t->getArg0(), t->getArg1());
      return two || t->getOpType() == pe::TernaryOpType::SELECT ? two : typeOf(t->getArg2());
    }
    return {};
  }
  Type either(const pe::Expr& a, const pe::Expr& b) const {
    const Type first = typeOf(a);
    return first ? first : typeOf(b);
  }
  // The type of an operation on constants alone: a floating type has precedence.
  static Type ownType(const pe::Expr& a, const pe::Expr& b) {
    Type type;
    for (const pe::Expr* e : {&a, &b})
      if (const auto* c = dynamic_cast<const pe::Const*>(e)) {
        const ElementType own = inner(c->getType());
        if (!type || numerics::isFloating(own)) type = own;
      }
    return type;
  }

  Expression unary(const pe::UnaryOp& u, Type wanted) const {
    const Type known = typeOf(u.getArg());
    const Type type = known ? known : isTest(u.getOpType()) ? Type() : wanted;
    const Expression x = convert(u.getArg(), type);
    if (u.getOpType() == pe::UnaryOpType::EXPONENT2) return Expression::binary(BinaryOp::Power, 2.0, x);
    if (u.getOpType() == pe::UnaryOpType::ROUND) { // rounds half away from 0
      const Expression whole = Expression::unary(UnaryOp::Trunc, x);
      const Expression isHalf = Expression::binary(BinaryOp::GreaterEqual, Expression::unary(UnaryOp::Absolute, x - whole), 0.5);
      return Expression::select(whole + Expression::unary(UnaryOp::Signum, x), whole, isHalf);
    }
    if (u.getOpType() == pe::UnaryOpType::SQRT && type && !numerics::isFloating(*type)) // INT: the root without its fraction
      return Expression::cast(Expression::unary(UnaryOp::Sqrt, Expression::cast(x, ElementType::Float)), *type);
    return Expression::unary(unaryOf(u.getOpType()), x);
  }

  Expression binary(const pe::BinaryOp& o, Type wanted) const {
    Type type = either(o.getLHS(), o.getRHS());
    if (!type && !isComparison(o.getOpType())) type = wanted;
    if (!type) type = ownType(o.getLHS(), o.getRHS());
    const Expression a = convert(o.getLHS(), type), b = convert(o.getRHS(), type);
    if (o.getOpType() == pe::BinaryOpType::BITWISE_XNOR) return ~(a ^ b);
    if (o.getOpType() == pe::BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND)
      return Expression::select(~((~a) >> b), a >> b, a < Expression(0));
    return Expression::binary(binaryOf(o.getOpType()), a, b);
  }

  Expression ternary(const pe::TernaryOp& t, Type wanted) const {
    Type type = typeOf(t);
    if (!type) type = wanted;
    if (!type) type = ownType(t.getArg0(), t.getArg1());
    const Expression a = convert(t.getArg0(), type), b = convert(t.getArg1(), type);
    if (t.getOpType() == pe::TernaryOpType::SELECT) return Expression::select(a, b, convert(t.getArg2(), ElementType::Bool));
    return Expression::clamp(a, b, convert(t.getArg2(), type));
  }

  const std::vector<graph::Tensor>& m_operands;
};

} // namespace

Expression expressionOf(const pe::Expr& e, const std::vector<graph::Tensor>& operands, Type result) {
  return Converter(operands).convert(e, result);
}

} // namespace simcore::poplar

namespace popops {
namespace expr {

Expr::~Expr() = default;

std::unique_ptr<Expr> Const::clone() const { return std::make_unique<Const>(*this); }
std::unique_ptr<Expr> PlaceHolder::clone() const { return std::make_unique<PlaceHolder>(*this); }
std::unique_ptr<Expr> Cast::clone() const { return std::make_unique<Cast>(*this); }
std::unique_ptr<Expr> UnaryOp::clone() const { return std::make_unique<UnaryOp>(*this); }
std::unique_ptr<Expr> BinaryOp::clone() const { return std::make_unique<BinaryOp>(*this); }
std::unique_ptr<Expr> TernaryOp::clone() const { return std::make_unique<TernaryOp>(*this); }

} // namespace expr
} // namespace popops

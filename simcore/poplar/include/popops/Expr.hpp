// Element-wise expressions: a tree of operations on placeholders (_1 is the first tensor of a map), constants and casts. The
// classes (Add(_1, Const(2))) and the operators (_1 + 2) make the same trees. Expressions contain no tensors, so one can be used
// in many maps.
#pragma once

#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "popops/ExprOp.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace popops {
namespace expr {

class Expr {
public:
  virtual ~Expr();
  virtual std::unique_ptr<Expr> clone() const = 0;
  virtual void print(std::ostream& out) const = 0;
  // Whether both are the same tree of the same operations, placeholders, constants (with their types) and casts.
  bool deepEquals(const Expr& other) const;
  // The tree and the types of its tensors as text that a class name can contain: "ADD_float_1_2z5".
  std::string name(const std::vector<poplar::Tensor>& inputs) const;
  template<class T> bool isA() const { return dynamic_cast<const T*>(this) != nullptr; }
  template<class T> const T* getAs() const { return dynamic_cast<const T*>(this); }
  template<class T> T* getAs() { return dynamic_cast<T*>(this); }

protected:
  Expr() = default;
  Expr(const Expr&) = default;
  Expr& operator=(const Expr&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const Expr& e) {
  e.print(out);
  return out;
}

inline bool deepEquals(const Expr& a, const Expr& b) { return a.deepEquals(b); }

// Any expression as a value.
class Any {
public:
  Any(const Expr& e) : m_expr(e.clone()) {}
  Any(const Any& other) : m_expr(other.m_expr->clone()) {}
  Any(Any&&) = default;
  Any& operator=(const Any& other) {
    m_expr = other.m_expr->clone();
    return *this;
  }
  Any& operator=(Any&&) = default;
  std::string name(const std::vector<poplar::Tensor>& inputs) const { return m_expr->name(inputs); }
  bool deepEquals(const Expr& other) const { return m_expr->deepEquals(other); }
  operator Expr&() { return *m_expr; }
  operator const Expr&() const { return *m_expr; }

private:
  std::unique_ptr<Expr> m_expr;
};

// A number. It takes the type of the other operand of its operation; its own type counts only if the other operand is a constant
// too.
class Const : public Expr {
public:
  template<class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
  Const(T value) : m_value(static_cast<double>(value)), m_type(poplar::equivalent_device_type<T>().value) {}
  Const(poplar::Type type, double value) : m_value(value), m_type(type) {}
  double value() const { return m_value; }
  poplar::Type getType() const { return m_type; }
  std::unique_ptr<Expr> clone() const override;
  void print(std::ostream& out) const override;

private:
  double m_value;
  poplar::Type m_type;
};
// A number of type HALF.
class ConstHalf : public Const {
public:
  ConstHalf(float value) : Const(poplar::HALF, static_cast<double>(value)) {}
};
inline ConstHalf operator"" _half(long double value) { return ConstHalf(static_cast<float>(value)); }

// Tensor number `index` of the map, starting at 1.
class PlaceHolder : public Expr {
public:
  PlaceHolder(unsigned index) : m_index(index) {}
  unsigned getIndex() const { return m_index; }
  std::unique_ptr<Expr> clone() const override;
  void print(std::ostream& out) const override;

private:
  unsigned m_index;
};

const PlaceHolder _1(1), _2(2), _3(3), _4(4), _5(5), _6(6), _7(7), _8(8), _9(9), _10(10), _11(11), _12(12), _13(13), _14(14),
    _15(15), _16(16), _17(17), _18(18), _19(19), _20(20);

class Cast : public Expr {
public:
  Cast(const Expr& a, const poplar::Type& type) : m_a(a.clone()), m_type(type) {}
  Cast(const Cast& other) : Expr(other), m_a(other.m_a->clone()), m_type(other.m_type) {}
  Cast(Cast&&) = default;
  Cast& operator=(const Cast& other) { return *this = Cast(other); }
  Cast& operator=(Cast&&) = default;
  const Expr& getLHS() const { return *m_a; }
  poplar::Type getRHSType() const { return m_type; }
  std::unique_ptr<Expr> clone() const override;
  void print(std::ostream& out) const override;

private:
  std::unique_ptr<Expr> m_a;
  poplar::Type m_type;
};

class UnaryOp : public Expr {
public:
  UnaryOp(UnaryOpType type, const Expr& a) : m_type(type), m_a(a.clone()) {}
  UnaryOp(const UnaryOp& other) : Expr(other), m_type(other.m_type), m_a(other.m_a->clone()) {}
  UnaryOp(UnaryOp&&) = default;
  UnaryOp& operator=(const UnaryOp& other) { return *this = UnaryOp(other); }
  UnaryOp& operator=(UnaryOp&&) = default;
  UnaryOpType getOpType() const { return m_type; }
  const Expr& getArg() const { return *m_a; }
  std::unique_ptr<Expr> clone() const override;
  void print(std::ostream& out) const override;

private:
  UnaryOpType m_type;
  std::unique_ptr<Expr> m_a;
};

class BinaryOp : public Expr {
public:
  BinaryOp(BinaryOpType type, const Expr& a, const Expr& b) : m_type(type), m_a(a.clone()), m_b(b.clone()) {}
  BinaryOp(const BinaryOp& other) : Expr(other), m_type(other.m_type), m_a(other.m_a->clone()), m_b(other.m_b->clone()) {}
  BinaryOp(BinaryOp&&) = default;
  BinaryOp& operator=(const BinaryOp& other) { return *this = BinaryOp(other); }
  BinaryOp& operator=(BinaryOp&&) = default;
  BinaryOpType getOpType() const { return m_type; }
  const Expr& getLHS() const { return *m_a; }
  const Expr& getRHS() const { return *m_b; }
  std::unique_ptr<Expr> clone() const override;
  void print(std::ostream& out) const override;

private:
  BinaryOpType m_type;
  std::unique_ptr<Expr> m_a, m_b;
};

class TernaryOp : public Expr {
public:
  TernaryOp(TernaryOpType type, const Expr& a, const Expr& b, const Expr& c)
      : m_type(type), m_a(a.clone()), m_b(b.clone()), m_c(c.clone()) {}
  TernaryOp(const TernaryOp& other)
      : Expr(other), m_type(other.m_type), m_a(other.m_a->clone()), m_b(other.m_b->clone()), m_c(other.m_c->clone()) {}
  TernaryOp(TernaryOp&&) = default;
  TernaryOp& operator=(const TernaryOp& other) { return *this = TernaryOp(other); }
  TernaryOp& operator=(TernaryOp&&) = default;
  TernaryOpType getOpType() const { return m_type; }
  const Expr& getArg0() const { return *m_a; }
  const Expr& getArg1() const { return *m_b; }
  const Expr& getArg2() const { return *m_c; }
  std::unique_ptr<Expr> clone() const override;
  void print(std::ostream& out) const override;

private:
  TernaryOpType m_type;
  std::unique_ptr<Expr> m_a, m_b, m_c;
};

#define TILESCOPE_UNARY(NAME, KIND)                                                                                              \
  class NAME : public UnaryOp {                                                                                                  \
  public:                                                                                                                        \
    explicit NAME(const Expr& a) : UnaryOp(UnaryOpType::KIND, a) {}                                                              \
  };
TILESCOPE_UNARY(Abs, ABSOLUTE)
TILESCOPE_UNARY(Asin, ASIN)
TILESCOPE_UNARY(BitwiseNot, BITWISE_NOT)
TILESCOPE_UNARY(Cbrt, CBRT)
TILESCOPE_UNARY(Ceil, CEIL)
TILESCOPE_UNARY(Cos, COS)
TILESCOPE_UNARY(Clz, COUNT_LEADING_ZEROS)
TILESCOPE_UNARY(Erf, ERF)
TILESCOPE_UNARY(Exp, EXPONENT)
TILESCOPE_UNARY(Expm1, EXPONENT_MINUS_ONE)
TILESCOPE_UNARY(Exp2, EXPONENT2)
TILESCOPE_UNARY(Floor, FLOOR)
TILESCOPE_UNARY(GeluErf, GELU_ERF)
TILESCOPE_UNARY(Inv, INVERSE)
TILESCOPE_UNARY(IsFinite, IS_FINITE)
TILESCOPE_UNARY(IsInf, IS_INF)
TILESCOPE_UNARY(IsNaN, IS_NAN)
TILESCOPE_UNARY(Log, LOGARITHM)
TILESCOPE_UNARY(Log1p, LOGARITHM_ONE_PLUS)
TILESCOPE_UNARY(Not, LOGICAL_NOT)
TILESCOPE_UNARY(Neg, NEGATE)
TILESCOPE_UNARY(NearbyInt, NEARBY_INT)
TILESCOPE_UNARY(PopCount, POPCOUNT)
TILESCOPE_UNARY(Relu, RELU)
TILESCOPE_UNARY(Round, ROUND)
TILESCOPE_UNARY(Rsqrt, RSQRT)
TILESCOPE_UNARY(Sigmoid, SIGMOID)
TILESCOPE_UNARY(Signum, SIGNUM)
TILESCOPE_UNARY(Sin, SIN)
TILESCOPE_UNARY(Sqrt, SQRT)
TILESCOPE_UNARY(Square, SQUARE)
TILESCOPE_UNARY(Tan, TAN)
TILESCOPE_UNARY(Tanh, TANH)
TILESCOPE_UNARY(Trunc, TRUNC)
#undef TILESCOPE_UNARY
inline Not operator!(const Expr& a) { return Not(a); }
inline Neg operator-(const Expr& a) { return Neg(a); }
inline BitwiseNot operator~(const Expr& a) { return BitwiseNot(a); }

#define TILESCOPE_BINARY(NAME, KIND)                                                                                             \
  class NAME : public BinaryOp {                                                                                                 \
  public:                                                                                                                        \
    NAME(const Expr& a, const Expr& b) : BinaryOp(BinaryOpType::KIND, a, b) {}                                                   \
  };
// The same with an operator; one of its operands may be a number.
#define TILESCOPE_BINARY_OPERATOR(NAME, KIND, SYMBOL)                                                                            \
  TILESCOPE_BINARY(NAME, KIND)                                                                                                   \
  inline NAME operator SYMBOL(const Expr& a, const Expr& b) { return NAME(a, b); }                                               \
  template<class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>                                         \
  NAME operator SYMBOL(const T& a, const Expr& b) {                                                                              \
    return NAME(Const(a), b);                                                                                                    \
  }                                                                                                                              \
  template<class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>                                         \
  NAME operator SYMBOL(const Expr& a, const T& b) {                                                                              \
    return NAME(a, Const(b));                                                                                                    \
  }
TILESCOPE_BINARY_OPERATOR(Add, ADD, +)
TILESCOPE_BINARY(Atan2, ATAN2)
TILESCOPE_BINARY_OPERATOR(BitwiseAnd, BITWISE_AND, &)
TILESCOPE_BINARY_OPERATOR(BitwiseOr, BITWISE_OR, |)
TILESCOPE_BINARY_OPERATOR(BitwiseXor, BITWISE_XOR, ^)
TILESCOPE_BINARY(BitwiseXnor, BITWISE_XNOR)
TILESCOPE_BINARY_OPERATOR(Divide, DIVIDE, /)
TILESCOPE_BINARY_OPERATOR(Equal, EQUAL, ==)
TILESCOPE_BINARY_OPERATOR(Gte, GREATER_THAN_EQUAL, >=)
TILESCOPE_BINARY_OPERATOR(Gt, GREATER_THAN, >)
TILESCOPE_BINARY(InvStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
TILESCOPE_BINARY_OPERATOR(Lte, LESS_THAN_EQUAL, <=)
TILESCOPE_BINARY_OPERATOR(And, LOGICAL_AND, &&)
TILESCOPE_BINARY_OPERATOR(Or, LOGICAL_OR, ||)
TILESCOPE_BINARY_OPERATOR(Lt, LESS_THAN, <)
TILESCOPE_BINARY(Max, MAXIMUM)
TILESCOPE_BINARY(Min, MINIMUM)
TILESCOPE_BINARY_OPERATOR(Mul, MULTIPLY, *)
TILESCOPE_BINARY_OPERATOR(NotEqual, NOT_EQUAL, !=)
TILESCOPE_BINARY(Pow, POWER)
TILESCOPE_BINARY_OPERATOR(Rem, REMAINDER, %)
TILESCOPE_BINARY_OPERATOR(Shl, SHIFT_LEFT, <<)
TILESCOPE_BINARY_OPERATOR(Shr, SHIFT_RIGHT, >>)
TILESCOPE_BINARY(ShrSE, SHIFT_RIGHT_SIGN_EXTEND)
TILESCOPE_BINARY_OPERATOR(Sub, SUBTRACT, -)
TILESCOPE_BINARY(VarianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)
#undef TILESCOPE_BINARY_OPERATOR
#undef TILESCOPE_BINARY

#define TILESCOPE_TERNARY(NAME, KIND)                                                                                            \
  class NAME : public TernaryOp {                                                                                                \
  public:                                                                                                                        \
    NAME(const Expr& a, const Expr& b, const Expr& c) : TernaryOp(TernaryOpType::KIND, a, b, c) {}                               \
  };
TILESCOPE_TERNARY(Select, SELECT)
TILESCOPE_TERNARY(Clamp, CLAMP)
#undef TILESCOPE_TERNARY

} // namespace expr
} // namespace popops

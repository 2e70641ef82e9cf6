// Element-wise expressions as in popops::expr, and maps that fuse one into a codelet: map(b, (_1 - _2) * 2.0, {x, y}). An
// expression is a value without tensors: placeholders number the operands of the map, and constants take the type of the other
// operand, so the same expression works for float and half.
#pragma once

#include "simcore/codelets/elementwise.h"
#include "simcore/ops/op_builder.h"

#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace simcore::ops {

class Expression {
public:
  // A constant inside the codelet.
  template<class T>
  requires std::is_arithmetic_v<T> Expression(T value) : Expression(constant(double(value))) {}
  // A constant of this type; nullopt: the type of the other operand, or float.
  static Expression constant(double value, std::optional<ElementType> type = {});
  // Operand `number` of a map, starting at 1.
  static Expression placeholder(std::size_t number);
  static Expression unary(codelets::UnaryOp op, Expression x);
  static Expression binary(codelets::BinaryOp op, Expression a, Expression b);
  static Expression select(Expression whenTrue, Expression whenFalse, Expression condition); // the order of popops
  static Expression clamp(Expression x, Expression low, Expression high);
  static Expression cast(Expression x, ElementType to);

  // The expression as numbers, for files.
  std::vector<double> toNumbers() const;
  // Throws Error(Damaged) for numbers that are not a result of toNumbers().
  static Expression ofNumbers(std::span<const double> numbers);

  struct Node; // the internal form; only expression.cpp uses it
  const Node& node() const { return *m_node; }

private:
  explicit Expression(std::shared_ptr<const Node> node) : m_node(std::move(node)) {}
  std::shared_ptr<const Node> m_node;
};

inline const Expression _1 = Expression::placeholder(1), _2 = Expression::placeholder(2), _3 = Expression::placeholder(3),
                        _4 = Expression::placeholder(4), _5 = Expression::placeholder(5), _6 = Expression::placeholder(6);

// The operands in the expression are broadcast (numpy rules). Operands of one operation must have the same type; comparisons
// return Bool. Throws Error(InvalidInput) naming the operation for other types, and for a placeholder without an operand.
Tensor map(const OpBuilder& builder, const Expression& expression, const std::vector<Tensor>& operands,
           const std::string& name = "map");
// Like map(), but the result goes into the first operand, or into an existing tensor, which must have the type and shape of the
// result.
void mapInPlace(const OpBuilder& builder, const Expression& expression, const std::vector<Tensor>& operands,
                const std::string& name = "map");
void mapWithOutput(const OpBuilder& builder, const Expression& expression, const std::vector<Tensor>& operands, const Tensor& out,
                   const std::string& name = "map");

#define TILESCOPE_BINARY_OPERATOR(symbol, kind)                                                                                  \
  inline Expression operator symbol(Expression a, Expression b) {                                                                \
    return Expression::binary(codelets::BinaryOp::kind, std::move(a), std::move(b));                                             \
  }
TILESCOPE_BINARY_OPERATOR(+, Add)
TILESCOPE_BINARY_OPERATOR(-, Subtract)
TILESCOPE_BINARY_OPERATOR(*, Multiply)
TILESCOPE_BINARY_OPERATOR(/, Divide)
TILESCOPE_BINARY_OPERATOR(%, Remainder)
TILESCOPE_BINARY_OPERATOR(&, BitwiseAnd)
TILESCOPE_BINARY_OPERATOR(|, BitwiseOr)
TILESCOPE_BINARY_OPERATOR(^, BitwiseXor)
TILESCOPE_BINARY_OPERATOR(<<, ShiftLeft)
TILESCOPE_BINARY_OPERATOR(>>, ShiftRight)
TILESCOPE_BINARY_OPERATOR(<, Less)
TILESCOPE_BINARY_OPERATOR(<=, LessEqual)
TILESCOPE_BINARY_OPERATOR(>, Greater)
TILESCOPE_BINARY_OPERATOR(>=, GreaterEqual)
TILESCOPE_BINARY_OPERATOR(==, Equal)
TILESCOPE_BINARY_OPERATOR(!=, NotEqual)
TILESCOPE_BINARY_OPERATOR(&&, LogicalAnd)
TILESCOPE_BINARY_OPERATOR(||, LogicalOr)
#undef TILESCOPE_BINARY_OPERATOR
inline Expression operator-(Expression x) { return Expression::unary(codelets::UnaryOp::Negate, std::move(x)); }
inline Expression operator!(Expression x) { return Expression::unary(codelets::UnaryOp::LogicalNot, std::move(x)); }
inline Expression operator~(Expression x) { return Expression::unary(codelets::UnaryOp::BitwiseNot, std::move(x)); }

} // namespace simcore::ops

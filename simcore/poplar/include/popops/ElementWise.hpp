// Functions of each element of one or more tensors. Shapes broadcast by numpy's rules; operands of one operation have one type (comparisons
// give BOOL). Each comes in three forms: with a new result, into the first operand (InPlace), and into an existing tensor
// (WithOutput). Either operand of a binary function may be a number. They throw poplibs_error for types or shapes that do not match.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "popops/Expr.hpp"

#include <string>
#include <type_traits>
#include <vector>

namespace popops {

// An expression over tensors, as one codelet: placeholder _i is tensors[i - 1].
poplar::Tensor map(poplar::Graph& graph, const expr::Expr& expr, const std::vector<poplar::Tensor>& tensors,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
poplar::Tensor map(poplar::Graph& graph, expr::UnaryOpType op, const poplar::Tensor& a, poplar::program::Sequence& prog,
                   const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor map(poplar::Graph& graph, expr::BinaryOpType op, const poplar::Tensor& a, const poplar::Tensor& b,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
poplar::Tensor map(poplar::Graph& graph, expr::TernaryOpType op, const poplar::Tensor& a, const poplar::Tensor& b,
                   const poplar::Tensor& c, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
// Several expressions of the same tensors; result i belongs to expression i.
std::vector<poplar::Tensor> map(poplar::Graph& graph, const std::vector<expr::Any>& exprs,
                                const std::vector<poplar::Tensor>& tensors, poplar::program::Sequence& prog,
                                const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

// Writes the result to the first tensor.
void mapInPlace(poplar::Graph& graph, const expr::Expr& expr, const std::vector<poplar::Tensor>& tensors,
                poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});
void mapInPlace(poplar::Graph& graph, expr::UnaryOpType op, const poplar::Tensor& a, poplar::program::Sequence& prog,
                const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void mapInPlace(poplar::Graph& graph, expr::BinaryOpType op, const poplar::Tensor& a, const poplar::Tensor& b,
                poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});
void mapInPlace(poplar::Graph& graph, expr::TernaryOpType op, const poplar::Tensor& a, const poplar::Tensor& b,
                const poplar::Tensor& c, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});
// Writes the result of expression i to tensor i; every expression reads the old values of the tensors.
void mapInPlace(poplar::Graph& graph, const std::vector<expr::Any>& exprs, const std::vector<poplar::Tensor>& tensors,
                poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});

void mapWithOutput(poplar::Graph& graph, const expr::Expr& expr, const std::vector<poplar::Tensor>& tensors,
                   const poplar::Tensor& out, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
void mapWithOutput(poplar::Graph& graph, expr::UnaryOpType op, const poplar::Tensor& a, const poplar::Tensor& out,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
void mapWithOutput(poplar::Graph& graph, expr::BinaryOpType op, const poplar::Tensor& a, const poplar::Tensor& b,
                   const poplar::Tensor& out, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
void mapWithOutput(poplar::Graph& graph, expr::TernaryOpType op, const poplar::Tensor& a, const poplar::Tensor& b,
                   const poplar::Tensor& c, const poplar::Tensor& out, poplar::program::Sequence& prog,
                   const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void mapWithOutput(poplar::Graph& graph, const std::vector<expr::Any>& exprs, const std::vector<poplar::Tensor>& tensors,
                   const std::vector<poplar::Tensor>& outs, poplar::program::Sequence& prog,
                   const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

#define TILESCOPE_TAIL                                                                                                           \
  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}

#define TILESCOPE_UNARY_NEW(NAME, KIND)                                                                                          \
  inline poplar::Tensor NAME(poplar::Graph& graph, const poplar::Tensor& a, TILESCOPE_TAIL) {                                    \
    return map(graph, expr::UnaryOpType::KIND, a, prog, debugContext, options);                                                  \
  }                                                                                                                              \
  inline void NAME##WithOutput(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& out, TILESCOPE_TAIL) {       \
    mapWithOutput(graph, expr::UnaryOpType::KIND, a, out, prog, debugContext, options);                                          \
  }
#define TILESCOPE_UNARY(NAME, KIND)                                                                                              \
  TILESCOPE_UNARY_NEW(NAME, KIND)                                                                                                \
  inline void NAME##InPlace(poplar::Graph& graph, const poplar::Tensor& a, TILESCOPE_TAIL) {                                     \
    mapInPlace(graph, expr::UnaryOpType::KIND, a, prog, debugContext, options);                                                  \
  }
TILESCOPE_UNARY(abs, ABSOLUTE)
TILESCOPE_UNARY(asin, ASIN)
TILESCOPE_UNARY(bitwiseNot, BITWISE_NOT)
TILESCOPE_UNARY(cbrt, CBRT)
TILESCOPE_UNARY(ceil, CEIL)
TILESCOPE_UNARY(cos, COS)
TILESCOPE_UNARY(countLeadingZeros, COUNT_LEADING_ZEROS)
TILESCOPE_UNARY(erf, ERF)
TILESCOPE_UNARY(exp, EXPONENT)
TILESCOPE_UNARY(expm1, EXPONENT_MINUS_ONE)
TILESCOPE_UNARY(exp2, EXPONENT2)
TILESCOPE_UNARY(floor, FLOOR)
TILESCOPE_UNARY(geluErf, GELU_ERF)
TILESCOPE_UNARY(inv, INVERSE)
TILESCOPE_UNARY(log, LOGARITHM)
TILESCOPE_UNARY(log1p, LOGARITHM_ONE_PLUS)
TILESCOPE_UNARY(logicalNot, LOGICAL_NOT)
TILESCOPE_UNARY(nearbyint, NEARBY_INT)
TILESCOPE_UNARY(neg, NEGATE)
TILESCOPE_UNARY(popcount, POPCOUNT)
TILESCOPE_UNARY(relu, RELU)
TILESCOPE_UNARY(round, ROUND)
TILESCOPE_UNARY(rsqrt, RSQRT)
TILESCOPE_UNARY(sigmoid, SIGMOID)
TILESCOPE_UNARY(signum, SIGNUM)
TILESCOPE_UNARY(sin, SIN)
TILESCOPE_UNARY(sqrt, SQRT)
TILESCOPE_UNARY(square, SQUARE)
TILESCOPE_UNARY(tan, TAN)
TILESCOPE_UNARY(tanh, TANH)
TILESCOPE_UNARY(trunc, TRUNC)
TILESCOPE_UNARY_NEW(isFinite, IS_FINITE)
TILESCOPE_UNARY_NEW(isInf, IS_INF)
TILESCOPE_UNARY_NEW(isNaN, IS_NAN)
#undef TILESCOPE_UNARY
#undef TILESCOPE_UNARY_NEW

#define TILESCOPE_NUMBER template<class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
#define TILESCOPE_BINARY(NAME, KIND)                                                                                             \
  inline poplar::Tensor NAME(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b, TILESCOPE_TAIL) {           \
    return map(graph, expr::BinaryOpType::KIND, a, b, prog, debugContext, options);                                              \
  }                                                                                                                              \
  TILESCOPE_NUMBER poplar::Tensor NAME(poplar::Graph& graph, const poplar::Tensor& a, T b, TILESCOPE_TAIL) {                     \
    return map(graph, expr::BinaryOp(expr::BinaryOpType::KIND, expr::_1, expr::Const(b)), {a}, prog, debugContext, options);     \
  }                                                                                                                              \
  TILESCOPE_NUMBER poplar::Tensor NAME(poplar::Graph& graph, T a, const poplar::Tensor& b, TILESCOPE_TAIL) {                     \
    return map(graph, expr::BinaryOp(expr::BinaryOpType::KIND, expr::Const(a), expr::_1), {b}, prog, debugContext, options);     \
  }                                                                                                                              \
  inline void NAME##WithOutput(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b,                           \
                               const poplar::Tensor& out, TILESCOPE_TAIL) {                                                      \
    mapWithOutput(graph, expr::BinaryOpType::KIND, a, b, out, prog, debugContext, options);                                      \
  }                                                                                                                              \
  TILESCOPE_NUMBER void NAME##WithOutput(poplar::Graph& graph, const poplar::Tensor& a, T b, const poplar::Tensor& out,          \
                                         TILESCOPE_TAIL) {                                                                       \
    mapWithOutput(graph, expr::BinaryOp(expr::BinaryOpType::KIND, expr::_1, expr::Const(b)), {a}, out, prog, debugContext,       \
                  options);                                                                                                      \
  }                                                                                                                              \
  TILESCOPE_NUMBER void NAME##WithOutput(poplar::Graph& graph, T a, const poplar::Tensor& b, const poplar::Tensor& out,          \
                                         TILESCOPE_TAIL) {                                                                       \
    mapWithOutput(graph, expr::BinaryOp(expr::BinaryOpType::KIND, expr::Const(a), expr::_1), {b}, out, prog, debugContext,       \
                  options);                                                                                                      \
  }                                                                                                                              \
  inline void NAME##InPlace(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b, TILESCOPE_TAIL) {            \
    mapInPlace(graph, expr::BinaryOpType::KIND, a, b, prog, debugContext, options);                                              \
  }                                                                                                                              \
  TILESCOPE_NUMBER void NAME##InPlace(poplar::Graph& graph, const poplar::Tensor& a, T b, TILESCOPE_TAIL) {                      \
    mapInPlace(graph, expr::BinaryOp(expr::BinaryOpType::KIND, expr::_1, expr::Const(b)), {a}, prog, debugContext, options);     \
  }
TILESCOPE_BINARY(add, ADD)
TILESCOPE_BINARY(atan2, ATAN2)
TILESCOPE_BINARY(bitwiseAnd, BITWISE_AND)
TILESCOPE_BINARY(bitwiseOr, BITWISE_OR)
TILESCOPE_BINARY(bitwiseXor, BITWISE_XOR)
TILESCOPE_BINARY(bitwiseXnor, BITWISE_XNOR)
TILESCOPE_BINARY(div, DIVIDE)
TILESCOPE_BINARY(eq, EQUAL)
TILESCOPE_BINARY(gteq, GREATER_THAN_EQUAL)
TILESCOPE_BINARY(gt, GREATER_THAN)
TILESCOPE_BINARY(lteq, LESS_THAN_EQUAL)
TILESCOPE_BINARY(logicalAnd, LOGICAL_AND)
TILESCOPE_BINARY(logicalOr, LOGICAL_OR)
TILESCOPE_BINARY(lt, LESS_THAN)
TILESCOPE_BINARY(max, MAXIMUM)
TILESCOPE_BINARY(min, MINIMUM)
TILESCOPE_BINARY(mul, MULTIPLY)
TILESCOPE_BINARY(neq, NOT_EQUAL)
TILESCOPE_BINARY(pow, POWER)
TILESCOPE_BINARY(rem, REMAINDER)
TILESCOPE_BINARY(shiftLeft, SHIFT_LEFT)
TILESCOPE_BINARY(shiftRight, SHIFT_RIGHT)
TILESCOPE_BINARY(shiftRightSignExtend, SHIFT_RIGHT_SIGN_EXTEND)
TILESCOPE_BINARY(sub, SUBTRACT)
TILESCOPE_BINARY(invStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
TILESCOPE_BINARY(varianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)
#undef TILESCOPE_BINARY

// Elements of `a` where the predicate (BOOL) is true, else of `b`.
inline poplar::Tensor select(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b,
                             const poplar::Tensor& predicate, TILESCOPE_TAIL) {
  return map(graph, expr::TernaryOpType::SELECT, a, b, predicate, prog, debugContext, options);
}
TILESCOPE_NUMBER poplar::Tensor select(poplar::Graph& graph, T a, const poplar::Tensor& b, const poplar::Tensor& predicate,
                                       TILESCOPE_TAIL) {
  return map(graph, expr::Select(expr::Const(a), expr::_1, expr::_2), {b, predicate}, prog, debugContext, options);
}
TILESCOPE_NUMBER poplar::Tensor select(poplar::Graph& graph, const poplar::Tensor& a, T b, const poplar::Tensor& predicate,
                                       TILESCOPE_TAIL) {
  return map(graph, expr::Select(expr::_1, expr::Const(b), expr::_2), {a, predicate}, prog, debugContext, options);
}
inline void selectInPlace(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b, const poplar::Tensor& predicate,
                          TILESCOPE_TAIL) {
  mapInPlace(graph, expr::TernaryOpType::SELECT, a, b, predicate, prog, debugContext, options);
}
TILESCOPE_NUMBER void selectInPlace(poplar::Graph& graph, const poplar::Tensor& a, T b, const poplar::Tensor& predicate,
                                    TILESCOPE_TAIL) {
  mapInPlace(graph, expr::Select(expr::_1, expr::Const(b), expr::_2), {a, predicate}, prog, debugContext, options);
}
inline void selectWithOutput(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b,
                             const poplar::Tensor& predicate, const poplar::Tensor& out, TILESCOPE_TAIL) {
  mapWithOutput(graph, expr::TernaryOpType::SELECT, a, b, predicate, out, prog, debugContext, options);
}

// Limits elements to [low, high].
inline poplar::Tensor clamp(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& low, const poplar::Tensor& high,
                            TILESCOPE_TAIL) {
  return map(graph, expr::TernaryOpType::CLAMP, a, low, high, prog, debugContext, options);
}
TILESCOPE_NUMBER poplar::Tensor clamp(poplar::Graph& graph, const poplar::Tensor& a, T low, T high, TILESCOPE_TAIL) {
  return map(graph, expr::Clamp(expr::_1, expr::Const(low), expr::Const(high)), {a}, prog, debugContext, options);
}
inline void clampInPlace(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& low, const poplar::Tensor& high,
                         TILESCOPE_TAIL) {
  mapInPlace(graph, expr::TernaryOpType::CLAMP, a, low, high, prog, debugContext, options);
}
TILESCOPE_NUMBER void clampInPlace(poplar::Graph& graph, const poplar::Tensor& a, T low, T high, TILESCOPE_TAIL) {
  mapInPlace(graph, expr::Clamp(expr::_1, expr::Const(low), expr::Const(high)), {a}, prog, debugContext, options);
}
inline void clampWithOutput(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& low, const poplar::Tensor& high,
                            const poplar::Tensor& out, TILESCOPE_TAIL) {
  mapWithOutput(graph, expr::TernaryOpType::CLAMP, a, low, high, out, prog, debugContext, options);
}
#undef TILESCOPE_NUMBER
#undef TILESCOPE_TAIL

// 1 / sqrt(variance + epsilon), and back; epsilon is a number or one element.
poplar::Tensor varianceToInvStdDev(poplar::Graph& graph, const poplar::Tensor& variance, const poplar::Tensor& epsilon,
                                   poplar::program::Sequence& prog, const poplar::Type dstType,
                                   const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor varianceToInvStdDev(poplar::Graph& graph, const poplar::Tensor& variance, const float epsilon,
                                   poplar::program::Sequence& prog, const poplar::Type dstType,
                                   const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor invStdDevToVariance(poplar::Graph& graph, const poplar::Tensor& invStdDev, const poplar::Tensor& epsilon,
                                   poplar::program::Sequence& prog, const poplar::Type dstType,
                                   const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor invStdDevToVariance(poplar::Graph& graph, const poplar::Tensor& invStdDev, const float epsilon,
                                   poplar::program::Sequence& prog, const poplar::Type dstType,
                                   const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

} // namespace popops

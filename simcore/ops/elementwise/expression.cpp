#include "simcore/ops/elementwise/expression.h"

#include "reports/core/error.h"
#include "reports/core/text.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/elementwise_numbers.h"

#include <algorithm>
#include <cmath>

namespace simcore::ops {

using codelets::BinaryOp;
using codelets::CastTo;
using codelets::MapStep;
using codelets::TernaryOp;
using codelets::UnaryOp;
using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

// One of three: a placeholder (its number is not 0), a constant (no arguments), or an operation on its arguments.
struct Expression::Node {
  std::size_t placeholder = 0;
  double value = 0;
  std::optional<ElementType> type; // of a constant
  decltype(MapStep::op) op;
  std::vector<Expression> arguments;
};

Expression Expression::constant(double value, std::optional<ElementType> type) {
  auto n = std::make_shared<Node>();
  n->value = value;
  n->type = type;
  return Expression(n);
}

Expression Expression::placeholder(std::size_t number) {
  if (number == 0) throw Error(ErrorCode::InvalidInput, "placeholders begin at 1", "expression");
  auto n = std::make_shared<Node>();
  n->placeholder = number;
  return Expression(n);
}

namespace {
std::shared_ptr<Expression::Node> operation(decltype(MapStep::op) op, std::vector<Expression> arguments) {
  auto n = std::make_shared<Expression::Node>();
  n->op = op;
  n->arguments = std::move(arguments);
  return n;
}
} // namespace

Expression Expression::unary(UnaryOp op, Expression x) { return Expression(operation(op, {std::move(x)})); }
Expression Expression::binary(BinaryOp op, Expression a, Expression b) {
  return Expression(operation(op, {std::move(a), std::move(b)}));
}
Expression Expression::select(Expression whenTrue, Expression whenFalse, Expression condition) {
  return Expression(operation(TernaryOp::Select, {std::move(whenTrue), std::move(whenFalse), std::move(condition)}));
}
Expression Expression::clamp(Expression x, Expression low, Expression high) {
  return Expression(operation(TernaryOp::Clamp, {std::move(x), std::move(low), std::move(high)}));
}
Expression Expression::cast(Expression x, ElementType to) { return Expression(operation(CastTo{to}, {std::move(x)})); }

// Prefix form: the kind (a placeholder, a constant with or without type, or the index of the operation), its value or type, its arguments.
namespace {

using Node = Expression::Node;

enum class Form { Placeholder, Constant, TypedConstant, Unary, Binary, Ternary, Cast };

void writeNode(const Node& n, std::vector<double>& out) {
  if (n.placeholder) {
    out.insert(out.end(), {double(Form::Placeholder), double(n.placeholder)});
  } else if (n.arguments.empty()) {
    if (n.type)
      out.insert(out.end(), {double(Form::TypedConstant), n.value, double(*n.type)});
    else
      out.insert(out.end(), {double(Form::Constant), n.value});
  } else {
    if (const auto* unary = std::get_if<UnaryOp>(&n.op))
      out.insert(out.end(), {double(Form::Unary), double(*unary)});
    else if (const auto* binary = std::get_if<BinaryOp>(&n.op))
      out.insert(out.end(), {double(Form::Binary), double(*binary)});
    else if (const auto* ternary = std::get_if<TernaryOp>(&n.op))
      out.insert(out.end(), {double(Form::Ternary), double(*ternary)});
    else
      out.insert(out.end(), {double(Form::Cast), double(std::get<CastTo>(n.op).to)});
    for (const Expression& a : n.arguments) writeNode(a.node(), out);
  }
}

[[noreturn]] void refuseNumbers() {
  throw Error(ErrorCode::Damaged, "the stored numbers do not encode an expression", "expression");
}

Expression readNode(std::span<const double> numbers, std::size_t& at, int depth) {
  constexpr int kDeepest = 4096;
  const auto number = [&] { return at < numbers.size() ? numbers[at++] : (refuseNumbers(), 0.0); };
  const auto whole = [&](double most) {
    const double n = number();
    if (!(n >= 0 && n <= most) || n != std::floor(n)) refuseNumbers();
    return int(n);
  };
  const auto argument = [&] { return readNode(numbers, at, depth + 1); };
  if (depth > kDeepest) refuseNumbers();
  switch (Form(whole(double(Form::Cast)))) {
  case Form::Placeholder: return Expression::placeholder(std::size_t(std::max(1, whole(1e6))));
  case Form::Constant: return Expression::constant(number());
  case Form::TypedConstant: {
    const double value = number();
    return Expression::constant(value, ElementType(whole(numerics::kElementTypeCount - 1)));
  }
  case Form::Unary: {
    const auto op = UnaryOp(whole(codelets::kUnaryOpCount - 1));
    return Expression::unary(op, argument());
  }
  case Form::Binary: {
    const auto op = BinaryOp(whole(codelets::kBinaryOpCount - 1));
    Expression a = argument();
    return Expression::binary(op, std::move(a), argument());
  }
  case Form::Ternary: {
    const auto op = TernaryOp(whole(double(TernaryOp::Clamp)));
    Expression a = argument(), b = argument();
    return op == TernaryOp::Select ? Expression::select(std::move(a), std::move(b), argument())
                                   : Expression::clamp(std::move(a), std::move(b), argument());
  }
  case Form::Cast: break;
  }
  const auto type = ElementType(whole(numerics::kElementTypeCount - 1));
  return Expression::cast(argument(), type);
}

} // namespace

std::vector<double> Expression::toNumbers() const {
  std::vector<double> numbers;
  writeNode(*m_node, numbers);
  return numbers;
}
Expression Expression::ofNumbers(std::span<const double> numbers) {
  std::size_t at = 0;
  Expression made = readNode(numbers, at, 0);
  if (at != numbers.size()) refuseNumbers();
  return made;
}

namespace {

bool isConstant(const Node& n) { return n.placeholder == 0 && n.arguments.empty(); }

// Half values are float on the host.
HostTensor castOnHost(const HostTensor& x, ElementType to) {
  if (to == ElementType::Half) return x.cast(ElementType::Float).roundedToHalf();
  return x.cast(to);
}

// An expression on tensors of known types: the operands it reads, constants, and operations in order of computation.
class Bound {
public:
  Bound(const Expression& expression, const std::vector<Tensor>& operands) : m_placeOf(operands.size(), -1) {
    std::vector<bool> used(operands.size(), false);
    find(expression.node(), used);
    const bool constant = std::find(used.begin(), used.end(), true) == used.end(); // the operands then determine the shape
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!constant && !used[i]) continue;
      m_placeOf[i] = int(m_read.size());
      m_read.push_back(operands[i]);
    }
    m_result = add(expression.node(), {});
  }

  ElementType type() const { return m_values[m_result].type; }
  const std::vector<Tensor>& inputs() const { return m_read; } // in the order of the operands
  bool reads(std::size_t operand) const { return m_placeOf[operand] >= 0; }
  const std::vector<MapStep>& steps() const { return m_steps; }
  Shape shape() const {
    Shape shape = m_read.empty() ? Shape{} : m_read[0].shape();
    for (const Tensor& t : m_read) shape = numerics::broadcast(shape, t.shape());
    return shape;
  }
  // A kernel on tensors in the order of inputs(); cells broadcast all of them to the shape of the first one.
  HostKernel kernel() const {
    return oneResult([values = m_values, result = m_result](const std::vector<HostTensor>& in) {
      std::vector<HostTensor> made;
      for (const Value& v : values) made.push_back(v.make(in, made));
      HostTensor out = made[result];
      for (const HostTensor& t : in) { // broadcasts along operands that do not affect the result
        const Shape all = numerics::broadcast(out.shape(), t.shape());
        if (all != out.shape()) out = numerics::expand(out, all);
      }
      return out;
    });
  }

private:
  struct Value {
    ElementType type = ElementType::Float;
    int input = -1;      // index of the map's input; -1 if the value is not an input
    double constant = 0; // the value, if there is neither an input nor an argument
    decltype(MapStep::op) op;
    std::vector<std::size_t> arguments = {};

    // Every operation on half rounds, like the codelet's instructions.
    HostTensor make(const std::vector<HostTensor>& in, const std::vector<HostTensor>& made) const {
      if (input >= 0) return in[std::size_t(input)];
      if (arguments.empty()) return castOnHost(HostTensor::scalar(constant), type);
      const HostTensor result = operate(made);
      return type == ElementType::Half ? result.roundedToHalf() : result;
    }
    HostTensor operate(const std::vector<HostTensor>& made) const {
      const HostTensor& first = made[arguments[0]];
      if (const auto* u = std::get_if<UnaryOp>(&op)) return unaryNumbers(*u, first);
      if (const auto* b = std::get_if<BinaryOp>(&op)) return binaryNumbers(*b, first, made[arguments[1]]);
      if (const auto* c = std::get_if<CastTo>(&op)) return castOnHost(first, c->to);
      if (std::get<TernaryOp>(op) == TernaryOp::Select) return numerics::where(made[arguments[2]], first, made[arguments[1]]);
      return binaryNumbers(BinaryOp::Minimum, binaryNumbers(BinaryOp::Maximum, first, made[arguments[1]]), made[arguments[2]]);
    }
  };

  static void find(const Node& n, std::vector<bool>& used) {
    if (n.placeholder > used.size())
      throw Error(ErrorCode::InvalidInput,
                  "the expression uses _" + std::to_string(n.placeholder) + ", but the map has only " +
                      reports::counted(int64_t(used.size()), "operand"),
                  "map");
    if (n.placeholder) used[n.placeholder - 1] = true;
    for (const Expression& a : n.arguments) find(a.node(), used);
  }

  // `wanted` is the type of the other operand, for constants without a type.
  std::size_t add(const Node& n, std::optional<ElementType> wanted) {
    Value v;
    if (n.placeholder) {
      v.input = m_placeOf[n.placeholder - 1];
      v.type = m_read[std::size_t(v.input)].elementType();
    } else if (isConstant(n)) {
      v.type = n.type.value_or(wanted.value_or(ElementType::Float));
      v.constant = n.value;
    } else {
      v.op = n.op;
      v.type = addOperation(n, wanted, v.arguments);
    }
    m_values.push_back(std::move(v));
    return m_values.size() - 1;
  }

  // Adds the arguments of an operation and returns the type of its result.
  ElementType addOperation(const Node& n, std::optional<ElementType> wanted, std::vector<std::size_t>& arguments) {
    const bool select = std::holds_alternative<TernaryOp>(n.op) && std::get<TernaryOp>(n.op) == TernaryOp::Select;
    const std::size_t alike = select ? 2 : n.arguments.size(); // arguments of one type
    if (std::holds_alternative<CastTo>(n.op)) wanted.reset();
    if (const auto* b = std::get_if<BinaryOp>(&n.op); b && codelets::isComparison(*b)) wanted.reset();
    // Operands that are not constants determine the type.
    arguments.assign(n.arguments.size(), 0);
    std::optional<ElementType> type;
    for (const bool constants : {false, true})
      for (std::size_t i = 0; i < alike; ++i) {
        const Node& a = n.arguments[i].node();
        if ((isConstant(a) && !a.type) != constants) continue;
        arguments[i] = add(a, type ? type : wanted);
        const ElementType given = m_values[arguments[i]].type;
        if (type && *type != given) refuse(n, *type, given);
        type = given;
      }
    if (select) {
      arguments[2] = add(n.arguments[2].node(), ElementType::Bool);
      if (const ElementType given = m_values[arguments[2]].type; given != ElementType::Bool) refuse(n, ElementType::Bool, given);
    }
    m_steps.push_back({n.op, *type});
    if (const auto* u = std::get_if<UnaryOp>(&n.op)) return isTest(*u) ? ElementType::Bool : *type;
    if (const auto* b = std::get_if<BinaryOp>(&n.op)) return codelets::isComparison(*b) ? ElementType::Bool : *type;
    if (const auto* c = std::get_if<CastTo>(&n.op)) return c->to;
    return *type;
  }

  [[noreturn]] static void refuse(const Node& n, ElementType a, ElementType b) {
    const auto* two = std::get_if<BinaryOp>(&n.op);
    throw Error(ErrorCode::InvalidInput,
                std::string("the operands have different types: ") + numerics::elementTypeName(a) + " and " +
                    numerics::elementTypeName(b),
                two ? codelets::binaryOpName(*two) : "SELECT or CLAMP", "cast one of them");
  }

  std::vector<int> m_placeOf; // by operand: its index among the operands that are read; -1: not read
  std::vector<Tensor> m_read;
  std::vector<Value> m_values;
  std::vector<MapStep> m_steps;
  std::size_t m_result = 0;
};

// The steps of the codelet: a cast if the expression is just an operand or a constant.
std::vector<MapStep> stepsOf(const Bound& bound) {
  if (!bound.steps().empty()) return bound.steps();
  return {{CastTo{bound.type()}, bound.type()}};
}

void requireLike(const Bound& bound, const Tensor& out, const std::string& name) {
  if (bound.type() != out.elementType() || numerics::broadcast(bound.shape(), out.shape()) != out.shape())
    throw Error(ErrorCode::InvalidInput,
                "the result " + numerics::toString(bound.shape()) + " " + numerics::elementTypeName(bound.type()) +
                    " does not fit " + out.getDebugStr() + " " + numerics::elementTypeName(out.elementType()),
                name, "cast inside the expression, or make a tensor of its type");
}

} // namespace

Tensor map(const OpBuilder& builder, const Expression& expression, const std::vector<Tensor>& operands, const std::string& name) {
  const Bound bound(expression, operands);
  if (bound.inputs().empty()) throw Error(ErrorCode::InvalidInput, "a map needs at least one tensor", name);
  return map(builder, name, stepsOf(bound), bound.inputs(), bound.type(), bound.shape(),
             builder.withNumbers() ? bound.kernel() : HostKernel());
}

void mapWithOutput(const OpBuilder& builder, const Expression& expression, const std::vector<Tensor>& operands, const Tensor& out,
                   const std::string& name) {
  const Bound bound(expression, operands);
  requireLike(bound, out, name);
  mapWithOutput(builder, name, stepsOf(bound), bound.inputs(), out, builder.withNumbers() ? bound.kernel() : HostKernel());
}

void mapInPlace(const OpBuilder& builder, const Expression& expression, const std::vector<Tensor>& operands,
                const std::string& name) {
  if (operands.empty()) throw Error(ErrorCode::InvalidInput, "a map needs at least one tensor", name);
  const Bound bound(expression, operands);
  if (!bound.reads(0)) return mapWithOutput(builder, expression, operands, operands[0], name);
  requireLike(bound, operands[0], name);
  mapInPlace(builder, name, stepsOf(bound), bound.inputs(), builder.withNumbers() ? bound.kernel() : HostKernel());
}

} // namespace simcore::ops

#include "popops/ElementWise.hpp"

#include "popops/ElementWiseUtil.hpp"
#include "simcore/numerics/shape.h"
#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/expression.h"
#include "simcore/ops/move/copies.h"
#include "simcore/poplar/libs/expression.h"
#include "simcore/poplar/libs/library_call.h"

namespace popops {

using namespace simcore::poplar::names;
using simcore::graph::Shape;

namespace {

// Throws an error that names the tensors if their shapes do not broadcast, as Poplar does.
Shape requireBroadcast(const std::vector<simcore::graph::Tensor>& tensors) {
  Shape shape;
  for (const auto& t : tensors) {
    const Shape other = t.shape();
    for (std::size_t d = 1; d <= std::min(shape.size(), other.size()); ++d) {
      const int64_t a = shape[shape.size() - d], b = other[other.size() - d];
      if (a != b && a != 1 && b != 1)
        throw poputil::poplibs_error("popops: " + t.getDebugStr() + " does not broadcast with " +
                                     simcore::numerics::toString(shape));
    }
    shape = simcore::numerics::broadcast(shape, other);
  }
  return shape;
}
// Gives a tensor of one element the shape of a result of one element; they may differ in dimensions of extent 1.
simcore::graph::Tensor asOne(const simcore::graph::Tensor& t, const Shape& shape) {
  const bool isOne = std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent == 1; });
  return isOne && t.numElements() == 1 && t.shape() != shape ? t.reshape(shape) : t;
}

} // namespace

Tensor map(Graph& graph, const expr::Expr& expr, const std::vector<Tensor>& tensors, Sequence& prog,
           const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::map", options);
  const auto operands = sp::inner(poplar::ArrayRef<Tensor>(tensors));
  sp::requireOperandTypes(expr, operands);
  const auto expression = sp::inLibrary([&] { return sp::expressionOf(expr, operands); });
  requireBroadcast(operands);
  return sp::library(
      graph, prog, debugContext, "map",
      [](const ops::OpBuilder& b, const auto& expression, const auto& operands) { return ops::map(b, expression, operands); },
      expression, operands);
}

void mapInPlace(Graph& graph, const expr::Expr& expr, const std::vector<Tensor>& tensors, Sequence& prog,
                const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::mapInPlace", options);
  auto operands = sp::inner(poplar::ArrayRef<Tensor>(tensors));
  sp::requireOperandTypes(expr, operands);
  const Shape shape = requireBroadcast(operands);
  if (!operands.empty()) operands[0] = asOne(operands[0], shape);
  const auto type = operands.empty() ? std::nullopt : std::optional(operands[0].elementType());
  const auto expression = sp::inLibrary([&] { return sp::expressionOf(expr, operands, type); });
  sp::library(
      graph, prog, debugContext, "map",
      [](const ops::OpBuilder& b, const auto& expression, const auto& operands) { ops::mapInPlace(b, expression, operands); },
      expression, operands);
}

void mapWithOutput(Graph& graph, const expr::Expr& expr, const std::vector<Tensor>& tensors, const Tensor& out, Sequence& prog,
                   const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions("popops::mapWithOutput", options);
  const auto operands = sp::inner(poplar::ArrayRef<Tensor>(tensors));
  sp::requireOperandTypes(expr, operands);
  const auto result = asOne(sp::inner(out), requireBroadcast(operands));
  const auto expression = sp::inLibrary([&] { return sp::expressionOf(expr, operands, result.elementType()); });
  sp::library(
      graph, prog, debugContext, "map",
      [](const ops::OpBuilder& b, const auto& expression, const auto& operands, const auto& result) {
        ops::mapWithOutput(b, expression, operands, result);
      },
      expression, operands, result);
}

Tensor map(Graph& graph, expr::UnaryOpType op, const Tensor& a, Sequence& prog, const DebugContext& debugContext,
           const OptionFlags& options) {
  return map(graph, expr::UnaryOp(op, expr::_1), {a}, prog, debugContext, options);
}
Tensor map(Graph& graph, expr::BinaryOpType op, const Tensor& a, const Tensor& b, Sequence& prog,
           const DebugContext& debugContext, const OptionFlags& options) {
  return map(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
Tensor map(Graph& graph, expr::TernaryOpType op, const Tensor& a, const Tensor& b, const Tensor& c, Sequence& prog,
           const DebugContext& debugContext, const OptionFlags& options) {
  return map(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog, debugContext, options);
}
void mapInPlace(Graph& graph, expr::UnaryOpType op, const Tensor& a, Sequence& prog, const DebugContext& debugContext,
                const OptionFlags& options) {
  mapInPlace(graph, expr::UnaryOp(op, expr::_1), {a}, prog, debugContext, options);
}
void mapInPlace(Graph& graph, expr::BinaryOpType op, const Tensor& a, const Tensor& b, Sequence& prog,
                const DebugContext& debugContext, const OptionFlags& options) {
  mapInPlace(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
void mapInPlace(Graph& graph, expr::TernaryOpType op, const Tensor& a, const Tensor& b, const Tensor& c, Sequence& prog,
                const DebugContext& debugContext, const OptionFlags& options) {
  mapInPlace(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog, debugContext, options);
}
void mapWithOutput(Graph& graph, expr::UnaryOpType op, const Tensor& a, const Tensor& out, Sequence& prog,
                   const DebugContext& debugContext, const OptionFlags& options) {
  mapWithOutput(graph, expr::UnaryOp(op, expr::_1), {a}, out, prog, debugContext, options);
}
void mapWithOutput(Graph& graph, expr::BinaryOpType op, const Tensor& a, const Tensor& b, const Tensor& out, Sequence& prog,
                   const DebugContext& debugContext, const OptionFlags& options) {
  mapWithOutput(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, out, prog, debugContext, options);
}
void mapWithOutput(Graph& graph, expr::TernaryOpType op, const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& out,
                   Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  mapWithOutput(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, out, prog, debugContext, options);
}

std::vector<Tensor> map(Graph& graph, const std::vector<expr::Any>& exprs, const std::vector<Tensor>& tensors, Sequence& prog,
                        const DebugContext& debugContext, const OptionFlags& options) {
  std::vector<Tensor> results;
  for (const expr::Any& e : exprs)
    results.push_back(map(graph, static_cast<const expr::Expr&>(e), tensors, prog, debugContext, options));
  return results;
}
void mapInPlace(Graph& graph, const std::vector<expr::Any>& exprs, const std::vector<Tensor>& tensors, Sequence& prog,
                const DebugContext& debugContext, const OptionFlags& options) {
  if (exprs.size() > tensors.size())
    throw poputil::poplibs_error("popops::mapInPlace: " + std::to_string(exprs.size()) + " expressions for " +
                                 std::to_string(tensors.size()) + " tensors");
  const std::vector<Tensor> results = map(graph, exprs, tensors, prog, debugContext, options); // reads all before a write
  for (std::size_t i = 0; i < results.size(); ++i) prog.add(poplar::program::Copy(results[i], tensors[i], false, debugContext));
}
void mapWithOutput(Graph& graph, const std::vector<expr::Any>& exprs, const std::vector<Tensor>& tensors,
                   const std::vector<Tensor>& outs, Sequence& prog, const DebugContext& debugContext,
                   const OptionFlags& options) {
  if (exprs.size() != outs.size())
    throw poputil::poplibs_error("popops::mapWithOutput: " + std::to_string(exprs.size()) + " expressions for " +
                                 std::to_string(outs.size()) + " outputs");
  for (std::size_t i = 0; i < exprs.size(); ++i)
    mapWithOutput(graph, static_cast<const expr::Expr&>(exprs[i]), tensors, outs[i], prog, debugContext, options);
}

namespace {
Tensor converted(Graph& graph, bool toVariance, const Tensor& x, const expr::Expr& epsilon, const std::vector<Tensor>& operands,
                 Sequence& prog, poplar::Type type, const DebugContext& debugContext, const OptionFlags& options) {
  const expr::BinaryOp op(toVariance ? expr::BinaryOpType::INV_STD_DEV_TO_VARIANCE : expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV,
                          expr::_1, epsilon);
  if (type == x.elementType()) return map(graph, op, operands, prog, debugContext, options);
  return map(graph, expr::Cast(op, type), operands, prog, debugContext, options);
}
} // namespace

Tensor varianceToInvStdDev(Graph& graph, const Tensor& variance, const Tensor& epsilon, Sequence& prog,
                           const poplar::Type dstType, const DebugContext& debugContext, const OptionFlags& options) {
  return converted(graph, false, variance, expr::_2, {variance, epsilon}, prog, dstType, debugContext, options);
}
Tensor varianceToInvStdDev(Graph& graph, const Tensor& variance, const float epsilon, Sequence& prog, const poplar::Type dstType,
                           const DebugContext& debugContext, const OptionFlags& options) {
  return converted(graph, false, variance, expr::Const(epsilon), {variance}, prog, dstType, debugContext, options);
}
Tensor invStdDevToVariance(Graph& graph, const Tensor& invStdDev, const Tensor& epsilon, Sequence& prog,
                           const poplar::Type dstType, const DebugContext& debugContext, const OptionFlags& options) {
  return converted(graph, true, invStdDev, expr::_2, {invStdDev, epsilon}, prog, dstType, debugContext, options);
}
Tensor invStdDevToVariance(Graph& graph, const Tensor& invStdDev, const float epsilon, Sequence& prog, const poplar::Type dstType,
                           const DebugContext& debugContext, const OptionFlags& options) {
  return converted(graph, true, invStdDev, expr::Const(epsilon), {invStdDev}, prog, dstType, debugContext, options);
}

Tensor createOutputForElementWiseOp(Graph& graph, const std::vector<Tensor>& inputs, const poplar::Type& outputType,
                                    const DebugContext& debugContext) {
  return sp::library(graph, debugContext, "createOutputForElementWiseOp", [&](const ops::OpBuilder& b) {
    const auto operands = sp::inner(poplar::ArrayRef<Tensor>(inputs));
    if (operands.empty()) throw poputil::poplibs_error("popops::createOutputForElementWiseOp: at least one input is needed");
    requireBroadcast(operands);
    Shape shape;
    for (const auto& t : operands) shape = simcore::numerics::broadcast(shape, t.shape());
    const auto type = sp::inner(outputType);
    simcore::graph::Distribution best;
    for (const auto& t : operands) {
      if (t.shape() != shape) continue;
      const auto layout = b.layoutOf(t);
      if (!best.valid() || layout.cells() > best.cells()) best = layout;
    }
    if (!best.valid()) best = b.linear(simcore::numerics::elementCount(shape), type);
    return b.output(type, shape, "out", best.laidOut());
  });
}

} // namespace popops
